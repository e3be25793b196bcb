internal import CGLibSecret
internal import CSoup
internal import DesktopSupport
internal import FoundationEssentials

/// One request and its response.
@safe final class SoupExchange: @unchecked Sendable {
    // Unchecked: only jobs of `httpThread` and libsoup's callbacks on it access the mutable state.
    private let request: HTTPRequest
    private let limits: HTTPLimits
    private let cancellable = Cancellable()
    /// Receives the result; nil after it was delivered.
    private var finish: (@Sendable (Result<HTTPResponse, HTTPError>) -> Void)?
    private var session: SoupSession?
    private var message: OpaquePointer?
    private var startingHandler: UInt = 0
    private var timers: [Timer] = []
    private var isCancelled = false
    private var isConnected = false
    private var body: [UInt8] = []

    init(_ request: HTTPRequest, _ limits: HTTPLimits) {
        self.request = request
        self.limits = limits
    }

    /// Starts the exchange, from any thread. Calls `finish` once, on ``httpThread``.
    func start(in sessions: SoupSessions, _ finish: @escaping @Sendable (Result<HTTPResponse, HTTPError>) -> Void) {
        httpThread.enqueue { [self] in
            self.finish = finish
            if isCancelled { return failCancelled() }
            setTimers()
            do throws(HTTPError) {
                try sessions.whenReady(for: request.url) { self.send(in: sessions) }
            } catch {
                end(.failure(error))
            }
        }
    }

    /// Ends the exchange immediately, regardless of libsoup's state; from any thread.
    func cancel() {
        httpThread.enqueue { [self] in
            isCancelled = true
            failCancelled()
        }
    }

    private func failCancelled() { fail(.cancelled, "The call was cancelled.") }
}

extension SoupExchange {
    private func send(in sessions: SoupSessions) {
        // The exchange may have ended while the proxies were looked up.
        guard finish != nil else { return }
        do throws(HTTPError) {
            send(in: try sessions.session(for: request.url))
        } catch {
            end(.failure(error))
        }
    }

    private func send(in session: SoupSession) {
        let functions = session.library.functions
        guard let message = unsafe functions.soup_message_new(request.method.rawValue, request.url.absoluteString)
        else {
            return fail(.invalidRequest, "The URL is malformed.")
        }
        self.session = session
        unsafe self.message = message
        unsafe functions.soup_message_set_flags(message, CSoupMessageFlags(CSOUP_MESSAGE_NO_REDIRECT))
        if let body = request.body {
            let bytes = unsafe g_bytes_new(body, gsize(body.count))
            unsafe functions.soup_message_set_request_body_from_bytes(message, nil, bytes)
            unsafe g_bytes_unref(bytes)
        }
        let headers = unsafe functions.soup_message_get_request_headers(message)
        for field in request.headers.fields {
            unsafe functions.soup_message_headers_append(headers, field.name, field.value)
        }
        unsafe watchForStart(of: message)
        unsafe session.withUnsafePointer { session in
            unsafe cancellable.withUnsafePointer { cancellable in
                unsafe functions.soup_session_send_async(
                    session,
                    message,
                    0,
                    cancellable,
                    exchangeAnswered,
                    retainedBox(self)
                )
            }
        }
    }

    /// libsoup emits `starting` once connected, just before it sends the first byte.
    private func watchForStart(of message: OpaquePointer) {
        let handler: @convention(c) (gpointer?, gpointer?) -> Void = unsafe exchangeStarts
        unsafe startingHandler = g_signal_connect_data(
            UnsafeMutableRawPointer(message),
            "starting",
            unsafeBitCast(handler, to: GCallback.self),
            retainedBox(self),
            releaseClosureBox,
            GConnectFlags(rawValue: 0)
        )
    }

    private func setTimers() {
        let connect = setTimer(after: limits.connect) { exchange in
            if exchange.isConnected { return }
            let message = "Could not connect to \(exchange.server) within \(exchange.limits.connect)."
            exchange.fail(.timedOut, message, remedy: Self.networkRemedy)
        }
        let exchange = setTimer(after: limits.exchange) { exchange in
            let message = "\(exchange.server) did not respond within \(exchange.limits.exchange)."
            exchange.fail(.timedOut, message, remedy: Self.laterRemedy)
        }
        timers = [connect, exchange]
    }

    /// Sets a timer that rings on the HTTP thread.
    private func setTimer(after time: Duration, _ ring: @escaping @Sendable (SoupExchange) -> Void) -> Timer {
        Timer(after: time) { [weak self] in httpThread.enqueue { [weak self] in self.map(ring) } }
    }

    fileprivate func requestStarts() { isConnected = true }

    fileprivate func answerBegan(_ result: OpaquePointer?) {
        guard let session else { return }
        var error: UnsafeMutablePointer<GError>?
        let stream = unsafe session.withUnsafePointer { pointer in
            unsafe session.library.functions.soup_session_send_finish(pointer, result, &error)
        }
        guard let stream = unsafe stream else { return unsafe fail(error) }
        if isConnected {
            unsafe read(stream)
        } else {
            // The response is the proxy's, to the CONNECT request.
            fail(.unreachable, "The proxy refuses to connect to \(server) (\(status)).", remedy: Self.proxyRemedy)
        }
        unsafe g_object_unref(UnsafeMutableRawPointer(stream))
    }

    private func read(_ stream: UnsafeMutablePointer<GInputStream>) {
        guard finish != nil else { return }
        // Read one byte more than allowed, to detect a larger body.
        let count = min(limits.body - body.count + 1, 65_536)
        unsafe cancellable.withUnsafePointer { cancellable in
            unsafe g_input_stream_read_bytes_async(
                stream,
                gsize(count),
                0,
                cancellable,
                exchangeRead,
                retainedBox(self)
            )
        }
    }

    fileprivate func bytesArrived(_ stream: UnsafeMutablePointer<GInputStream>, _ result: OpaquePointer?) {
        var error: UnsafeMutablePointer<GError>?
        guard let bytes = unsafe g_input_stream_read_bytes_finish(stream, result, &error) else {
            return unsafe fail(error)
        }
        defer { unsafe g_bytes_unref(bytes) }
        var length: gsize = 0
        let start = unsafe g_bytes_get_data(bytes, &length)
        guard length > 0 else { return end(.success(response)) }
        unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: start, count: Int(length)))
        guard body.count <= limits.body else {
            return fail(.bodyTooLarge, "The response of \(server) is larger than \(limits.body) bytes.")
        }
        unsafe read(stream)
    }
}

extension SoupExchange {
    private var server: String { HTTPOrigin(request.url)?.description ?? "the server" }

    private var status: Int {
        guard let session, let message = unsafe message else { return 0 }
        return unsafe Int(session.library.functions.soup_message_get_status(message))
    }

    private var response: HTTPResponse {
        guard let session, let message = unsafe message else { return HTTPResponse(status: 0) }
        let functions = session.library.functions
        let list = unsafe functions.soup_message_get_response_headers(message)
        let headers = unsafe HTTPHeaders { unsafe functions.soup_message_headers_foreach(list, $0, $1) }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    private func fail(_ code: HTTPError.Code, _ message: String, remedy: String? = nil) {
        end(.failure(HTTPError(code, message, remedy: remedy, requestWasSent: isConnected)))
    }

    /// Fails with a GLib error, and takes ownership of it.
    private func fail(_ error: UnsafeMutablePointer<GError>?) {
        guard let session, finish != nil else {
            if let error = unsafe error { unsafe g_error_free(error) }
            return
        }
        let functions = session.library.functions
        let flaws = unsafe message.map { message in
            unsafe functions.soup_message_get_tls_peer_certificate_errors(message)
        }
        let failure = unsafe SoupFailure(
            taking: error,
            certificateFlaws: flaws ?? GTlsCertificateFlags(0),
            soupDomain: functions.soup_session_error_quark()
        )
        end(.failure(failure.error(of: server, requestWasSent: isConnected)))
    }

    /// Delivers the result and stops the exchange. A second call does nothing.
    private func end(_ result: Result<HTTPResponse, HTTPError>) {
        guard let finish else { return }
        self.finish = nil
        for timer in timers { timer.cancel() }
        timers = []
        if let message = unsafe message {
            unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(message), startingHandler)
            unsafe g_object_unref(UnsafeMutableRawPointer(message))
        }
        unsafe message = nil
        // libsoup and GIO release the rest when their operations end.
        if case .failure = result { cancellable.cancel() }
        finish(result)
    }

    static let networkRemedy = "Check the network connection and the proxy settings, and try again."
    static let proxyRemedy = "Check the proxy settings of the desktop."
    static let laterRemedy = "Try again later."
}

/// A handler of `starting` for a `SoupExchange`.
private func exchangeStarts(_ message: gpointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<SoupExchange>.fromOpaque(data).takeUnretainedValue().requestStarts()
}

/// A `GAsyncReadyCallback` for a `SoupExchange`.
private func exchangeAnswered(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<SoupExchange>.fromOpaque(data).takeRetainedValue().answerBegan(result)
}

/// A `GAsyncReadyCallback` for a `SoupExchange`.
private func exchangeRead(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let source = unsafe source, let data = unsafe data else { return }
    let stream = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: GInputStream.self)
    unsafe Unmanaged<SoupExchange>.fromOpaque(data).takeRetainedValue().bytesArrived(stream, result)
}
