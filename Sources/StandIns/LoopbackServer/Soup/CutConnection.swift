internal import CGLibSecret
internal import DesktopSupport
internal import SharedAuthHTTP

/// A connection that is closed in the middle of a response.
@safe final class CutConnection: @unchecked Sendable {
    // `@unchecked`: only `serverThread` uses the stream.
    private let stream: UnsafeMutablePointer<GIOStream>

    /// Takes ownership of the connection.
    init(taking stream: UnsafeMutablePointer<GIOStream>) { unsafe self.stream = stream }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(stream)) }

    /// Sends bytes, ignores write errors, and closes the connection.
    func end(after bytes: [UInt8]) {
        guard !bytes.isEmpty else { return close() }
        let content = unsafe g_bytes_new(bytes, gsize(bytes.count))
        defer { unsafe g_bytes_unref(content) }
        unsafe g_output_stream_write_bytes_async(
            g_io_stream_get_output_stream(stream),
            content,
            0,
            nil,
            bytesWritten,
            retainedBox(PendingCut(self, bytes))
        )
    }

    fileprivate func close() { unsafe g_io_stream_close(stream, nil, nil) }

    fileprivate func wrote(_ bytes: [UInt8], _ result: OpaquePointer?) {
        let count = unsafe g_output_stream_write_bytes_finish(g_io_stream_get_output_stream(stream), result, nil)
        if count > 0 { end(after: Array(bytes.dropFirst(count))) } else { close() }
    }
}

private final class PendingCut: Sendable {
    let connection: CutConnection
    let bytes: [UInt8]

    init(_ connection: CutConnection, _ bytes: [UInt8]) {
        self.connection = connection
        self.bytes = bytes
    }
}

extension ServedAnswer {
    /// The bytes of a cut response that are sent.
    var firstBytes: [UInt8] {
        guard case .bodyPrefix(let count) = delivery else { return [] }
        let lines =
            ["HTTP/1.1 \(status) Cut", "Content-Length: \(body.count)"]
            + headers.fields.map { "\($0.name): \($0.value)".withoutLineBreaks }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + body.prefix(count)
    }
}

extension String {
    /// The text with line breaks and NULs replaced by spaces. A line break would start another header or the body.
    var withoutLineBreaks: String {
        String(decoding: utf8.map { $0 == 0x0D || $0 == 0x0A || $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }
}

/// A `GAsyncReadyCallback` for a `PendingCut`.
private func bytesWritten(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    let pending = unsafe Unmanaged<PendingCut>.fromOpaque(data).takeRetainedValue()
    unsafe pending.connection.wrote(pending.bytes, result)
}
