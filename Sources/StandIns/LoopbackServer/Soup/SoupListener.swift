internal import CGLibSecret
internal import CSoup
internal import DesktopSupport
internal import SharedAuthHTTP

/// The thread of libsoup's servers, with a separate main context. Starts with the first server.
let serverThread = ContextThread(named: "loopback-server")

/// A SoupServer and its exchanges.
@safe final class SoupListener: @unchecked Sendable {
    // `@unchecked`: only jobs on `serverThread`, and libsoup's callbacks there, use the mutable properties.
    private let library: SoupServerLibrary
    private let handler: LoopbackServer.Handler
    private let events: EventLog<LoopbackEvent>
    private var server: OpaquePointer?
    private var count = 0
    private var exchanges: [Int: ServedExchange] = [:]

    init(_ library: SoupServerLibrary, _ handler: @escaping LoopbackServer.Handler, _ events: EventLog<LoopbackEvent>) {
        self.library = library
        self.handler = handler
        self.events = events
    }

    /// Starts to listen, and returns the port.
    ///
    /// - Throws: ``LoopbackServerError`` if the port is taken, or the server does not start within 30 seconds.
    func listen(named name: String, at port: Int) throws(LoopbackServerError) -> Int {
        let bound = Monitor<Result<Int, LoopbackServerError>?>(nil)
        serverThread.enqueue { [self] in
            let result = start(name, port)
            bound.update { $0 = result }
        }
        let late = LoopbackServerError(description: "The server did not start within 30 seconds.")
        guard let result = bound.wait(until: .after(.seconds(30)), { $0 }) else { throw late }
        return try result.get()
    }

    func stop() {
        serverThread.enqueue { [self] in
            guard let server = unsafe server else { return }
            unsafe self.server = nil
            for exchange in exchanges.values { exchange.abandon() }
            exchanges = [:]
            unsafe library.functions.soup_server_disconnect(server)
            unsafe g_object_unref(UnsafeMutableRawPointer(server))
        }
    }

    private func start(_ name: String, _ port: Int) -> Result<Int, LoopbackServerError> {
        var functions = library.functions
        let server = unsafe csoup_server_new(&functions, name)
        var error: UnsafeMutablePointer<GError>?
        guard unsafe functions.soup_server_listen_local(server, guint(port), 0, &error) != 0 else {
            unsafe g_clear_error(&error)
            unsafe g_object_unref(UnsafeMutableRawPointer(server))
            return .failure(
                LoopbackServerError(
                    description: "Cannot listen on port \(port); another program may use it. Choose another port."
                )
            )
        }
        let headers = unsafe retainedBox(MessageTaker { [self] in unsafe check($0) })
        unsafe functions.soup_server_add_early_handler(server, nil, messageArrived, headers, releaseBox)
        let request = unsafe retainedBox(MessageTaker { [self] in unsafe arrived($0) })
        unsafe functions.soup_server_add_handler(server, nil, messageArrived, request, releaseBox)
        unsafe self.server = server
        return .success(unsafe Self.port(of: server, functions))
    }

    private static func port(of server: OpaquePointer, _ functions: CSoupServerFunctions) -> Int {
        let addresses = unsafe functions.soup_server_get_uris(server)
        defer { unsafe g_slist_free_full(addresses) { uri in unsafe g_uri_unref(OpaquePointer(uri)) } }
        return unsafe addresses.map { addresses in unsafe Int(g_uri_get_port(OpaquePointer(addresses.pointee.data))) }
            ?? 0
    }

    /// The maximum size of a request's body, in bytes.
    private static let bodyLimit = 1 << 20

    /// Refuses a body that is too long or of unknown length, before it arrives, and discards its bytes.
    private func check(_ message: OpaquePointer) {
        let functions = library.functions
        let list = unsafe functions.soup_server_message_get_request_headers(message)
        let headers = unsafe HTTPHeaders { unsafe functions.soup_message_headers_foreach(list, $0, $1) }
        let length = headers["Content-Length"].map { Int($0) ?? .max } ?? 0
        if headers["Transfer-Encoding"] != nil || length > Self.bodyLimit {
            unsafe functions.soup_server_message_set_status(message, 413, nil)
            unsafe functions.soup_message_body_set_accumulate(
                functions.soup_server_message_get_request_body(message),
                0
            )
        }
    }

    private func arrived(_ message: OpaquePointer) {
        guard let server = unsafe server else { return }
        count += 1
        let exchange = unsafe ServedExchange(count, message, of: server, functions: library.functions, events: events)
        exchanges[count] = exchange
        exchange.begin(handler) { [self] number in exchanges[number] = nil }
    }
}

/// Takes the messages that libsoup passes to one of its callbacks.
@safe private final class MessageTaker: Sendable {
    private let body: @Sendable (OpaquePointer) -> Void

    init(_ body: @escaping @Sendable (OpaquePointer) -> Void) { unsafe self.body = body }

    func take(_ message: OpaquePointer) { unsafe body(message) }
}

/// A `SoupServerCallback` for a `MessageTaker`.
private func messageArrived(
    _ server: OpaquePointer?,
    _ message: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ query: OpaquePointer?,
    _ data: gpointer?
) {
    guard let message = unsafe message, let data = unsafe data else { return }
    unsafe Unmanaged<MessageTaker>.fromOpaque(data).takeUnretainedValue().take(message)
}
