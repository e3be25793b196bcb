internal import CLibsecret
internal import DesktopSupport
internal import SharedAuthHTTP

/// A connection that is to end in the middle of an answer.
@safe final class CutConnection: @unchecked Sendable {
    // Only `serverThread` uses it.
    private let stream: UnsafeMutablePointer<GIOStream>

    /// Takes over the connection.
    init(taking stream: UnsafeMutablePointer<GIOStream>) { unsafe self.stream = stream }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(stream)) }

    /// Sends bytes, which the other side may refuse, and ends the connection.
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
    /// The bytes that are sent of an answer that is cut.
    var firstBytes: [UInt8] {
        guard case .bodyPrefix(let count) = delivery else { return [] }
        let lines =
            ["HTTP/1.1 \(status) Cut", "Content-Length: \(body.count)"]
            + headers.fields.map { "\($0.name): \($0.value)".withoutLineBreaks }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + body.prefix(count)
    }
}

extension String {
    /// The text on one line: after a break would come another header, or the body.
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
