internal import CGLibSecret
internal import CSoup
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuthHTTP

/// A request and its response.
@safe final class ServedExchange: @unchecked Sendable {
    // `@unchecked`: only jobs on `serverThread`, and libsoup's callbacks there, use the mutable properties.
    private let number: Int
    private let message: OpaquePointer
    private let server: OpaquePointer
    private let functions: CSoupServerFunctions
    private let events: EventLog<LoopbackEvent>
    private var task: Task<Void, Never>?
    private var finishedHandler: UInt = 0
    /// The closure to call at the end of the exchange; nil after that.
    private var end: ((Int) -> Void)?

    init(
        _ number: Int,
        _ message: OpaquePointer,
        of server: OpaquePointer,
        functions: CSoupServerFunctions,
        events: EventLog<LoopbackEvent>
    ) {
        self.number = number
        unsafe self.message = OpaquePointer(g_object_ref(UnsafeMutableRawPointer(message)))
        unsafe self.server = OpaquePointer(g_object_ref(UnsafeMutableRawPointer(server)))
        self.functions = functions
        self.events = events
    }

    /// Passes the request to the handler. Calls `end` on ``serverThread`` when the exchange is over.
    func begin(_ handler: @escaping LoopbackServer.Handler, _ end: @escaping (Int) -> Void) {
        self.end = end
        let request = request
        events.note(.request(number, method: request.method, path: request.path))
        watchForEnd()
        unsafe functions.soup_server_pause_message(server, message)
        task = Task { [self] in
            let answer = request.isForThisMachine ? await handler(request) : .misdirected
            serverThread.enqueue { [self] in send(answer) }
        }
    }

    /// Ends the exchange because the server stops.
    func abandon() { finish(.gone(number)) }

    /// Observes `finished`, which libsoup emits when the response was sent or the connection ended before.
    private func watchForEnd() {
        let handler: @convention(c) (gpointer?, gpointer?) -> Void = unsafe exchangeFinished
        unsafe finishedHandler = g_signal_connect_data(
            UnsafeMutableRawPointer(message),
            "finished",
            unsafeBitCast(handler, to: GCallback.self),
            retainedBox(self),
            releaseClosureBox,
            GConnectFlags(rawValue: 0)
        )
    }

    private func send(_ answer: ServedAnswer) {
        guard end != nil else { return }
        task = nil
        if answer.delivery == .whole {
            sendWhole(answer)
        } else {
            cut(answer)
        }
    }

    private func sendWhole(_ answer: ServedAnswer) {
        unsafe functions.soup_server_message_set_status(message, guint(answer.status), nil)
        let headers = unsafe functions.soup_server_message_get_response_headers(message)
        // libsoup has already set some of the headers, such as Date.
        for field in answer.headers.fields { unsafe functions.soup_message_headers_remove(headers, field.name) }
        for field in answer.headers.fields {
            unsafe functions.soup_message_headers_append(headers, field.name, field.value.withoutLineBreaks)
        }
        if !answer.body.isEmpty {
            unsafe answer.body.withUnsafeBytes { body in
                unsafe functions.soup_server_message_set_response(
                    message,
                    answer.headers["Content-Type"] ?? "application/octet-stream",
                    CSoupMemoryUse(CSOUP_MEMORY_COPY),
                    body.baseAddress?.assumingMemoryBound(to: CChar.self),
                    gsize(body.count)
                )
            }
        }
        status = answer.status
        unsafe functions.soup_server_unpause_message(server, message)
    }

    /// The status of the response being sent.
    private var status: Int?

    /// Takes the connection from libsoup, and closes it after the first bytes of the response.
    private func cut(_ answer: ServedAnswer) {
        finish(.cut(number)) { [self] in
            guard let stream = unsafe functions.soup_server_message_steal_connection(message) else { return }
            unsafe CutConnection(taking: stream).end(after: answer.firstBytes)
        }
    }

    fileprivate func finished() { finish(status.map { .answer(number, status: $0) } ?? .gone(number)) }

    /// Ends the exchange. Later calls do nothing.
    private func finish(_ event: LoopbackEvent, _ last: () -> Void = {}) {
        guard let end else { return }
        self.end = nil
        task?.cancel()
        task = nil
        last()
        unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(message), finishedHandler)
        unsafe g_object_unref(UnsafeMutableRawPointer(message))
        unsafe g_object_unref(UnsafeMutableRawPointer(server))
        events.note(event)
        end(number)
    }
}

extension ServedExchange {
    private var request: ServedRequest {
        let list = unsafe functions.soup_server_message_get_request_headers(message)
        let headers = unsafe HTTPHeaders { unsafe functions.soup_message_headers_foreach(list, $0, $1) }
        let address = unsafe functions.soup_server_message_get_uri(message)
        let path = unsafe g_uri_get_path(address)
        let query = unsafe g_uri_get_query(address).map { unsafe String(cString: $0) }
        return unsafe ServedRequest(
            number: number,
            method: functions.soup_server_message_get_method(message).map { unsafe String(cString: $0) } ?? "",
            path: Self.unescaped(path),
            query: FormFields(query ?? ""),
            headers: headers,
            body: body,
            client: functions.soup_server_message_get_remote_host(message).map { unsafe String(cString: $0) } ?? ""
        )
    }

    private var body: [UInt8] {
        let bytes = unsafe functions.soup_message_body_flatten(
            functions.soup_server_message_get_request_body(message)
        )
        guard let bytes = unsafe bytes else { return [] }
        defer { unsafe g_bytes_unref(bytes) }
        var length: gsize = 0
        let start = unsafe g_bytes_get_data(bytes, &length)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// Returns a path without escapes, or the unchanged path if an escape is malformed.
    private static func unescaped(_ path: UnsafePointer<CChar>?) -> String {
        guard let path = unsafe path else { return "/" }
        guard let text = unsafe g_uri_unescape_string(path, nil) else { return unsafe String(cString: path) }
        defer { unsafe g_free(text) }
        return unsafe String(cString: text)
    }
}

extension ServedRequest {
    /// True if `Host` is an address of this machine. Any other name may belong to a web page whose host name resolves
    /// to this machine.
    fileprivate var isForThisMachine: Bool {
        guard let host = headers["Host"], let url = URL(string: "http://\(host)/") else { return false }
        return HTTPOrigin(url)?.isLoopback == true
    }
}

extension ServedAnswer {
    fileprivate static let misdirected = text("This server is only for programs on the same machine.\n", status: 421)
}

/// A handler of `finished` for a `ServedExchange`.
private func exchangeFinished(_ message: gpointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ServedExchange>.fromOpaque(data).takeUnretainedValue().finished()
}
