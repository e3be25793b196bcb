internal import DesktopSupport
public import FoundationEssentials
internal import Synchronization

/// Receives the answer that a browser brings back to an app: the loopback redirect of RFC 8252.
///
/// It listens on `127.0.0.1` from its creation on, so that its ``redirectURI`` can be sent to the server before anybody can
/// answer, and stops with the first expected answer, at the end of the time, when the task is cancelled, or with its last
/// reference. Whatever else connects, a browser's preconnections and its wish for an icon included, is turned away without
/// ending it: another user's program, another path, another host name, a `state` that is not the expected one, a parameter that
/// comes twice. Each connection has 10 seconds and 8 kB for its request.
public final class RedirectListener: Sendable {
    private enum Phase {
        case bound(LoopbackSocket)
        case listening
        case ended
    }

    /// The address to which the server redirects the browser, such as `http://127.0.0.1:40123/callback`.
    public let redirectURI: URL

    private let path: String
    private let host: String
    private let page: BrowserPage
    private let phase: Mutex<Phase>
    private let wakeUp = WakeUp()

    /// Binds the port.
    ///
    /// Throws ``BrowserFlowError/Code/portUnavailable``.
    ///
    /// - Parameters:
    ///   - path: the path of the redirect address, as the server knows it.
    ///   - port: the port, for servers that compare it; nil takes one that is free, which RFC 8252 has servers accept.
    ///   - page: the page that the browser shows at the end.
    public init(path: String = "/callback", port: UInt16? = nil, page: BrowserPage = .default) throws(BrowserFlowError)
    {
        let socket = try LoopbackSocket.listening(on: port ?? 0)
        let port = socket.port
        host = port == 80 ? "127.0.0.1" : "127.0.0.1:\(port)"
        guard let uri = URL(string: "http://\(host)\(path)"), path.hasPrefix("/"),
            uri.path(percentEncoded: true) == path
        else { preconditionFailure("\(path) is not the path of an address: it begins with a slash, and has no query.") }
        redirectURI = uri
        self.path = path
        self.page = page
        phase = Mutex(.bound(socket))
    }

    /// Waits for the browser to come back, and shows the listener's page in it.
    ///
    /// Throws ``BrowserFlowError``: `timedOut`, and `cancelled` at once when the task is. One listener receives one answer, so
    /// a second call throws `cancelled`, too.
    ///
    /// - Parameters:
    ///   - state: the `state` that was sent to the server; only an answer with the same one is believed.
    ///   - timeout: the time that the person may take.
    public func redirect(
        matching state: String,
        timeout: Duration = .seconds(300)
    ) async throws(BrowserFlowError) -> RedirectAnswer {
        // The visit is given up, so the browser has its page at once.
        try await visit(matching: state, timeout: timeout, pageTime: .zero).answer
    }

    /// Waits for the browser to come back; the browser then waits for a page that says how the sign-in ended.
    ///
    /// Throws ``BrowserFlowError``, as ``redirect(matching:timeout:)`` does.
    ///
    /// - Parameters:
    ///   - state: the `state` that was sent to the server; only an answer with the same one is believed.
    ///   - timeout: how long the person may take.
    ///   - pageTime: how long the browser waits for the page; at the end of it, it shows the listener's page.
    public func visit(
        matching state: String,
        timeout: Duration = .seconds(300),
        pageTime: Duration = .seconds(40)
    ) async throws(BrowserFlowError) -> RedirectVisit {
        let end = ContinuousClock.now + timeout
        let socket = phase.withLock { phase -> LoopbackSocket? in
            guard case .bound(let socket) = phase else { return nil }
            phase = .listening
            return socket
        }
        guard let socket else { throw .cancelled }
        let rules = RedirectRules(path: path, host: host, state: state)
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                listen(on: socket, rules, until: end, pageTime) { result in continuation.resume(returning: result) }
            }
        } onCancel: {
            close()
        }.get()
    }

    /// Stops listening, and ends a wait for the answer with ``BrowserFlowError/Code/cancelled``.
    public func close() {
        phase.withLock { phase in
            if case .bound(let socket) = phase { socket.close() }
            phase = .ended
        }
        wakeUp.signal()
    }

    private func listen(
        on socket: LoopbackSocket,
        _ rules: RedirectRules,
        until end: ContinuousClock.Instant,
        _ pageTime: Duration,
        _ finish: @escaping @Sendable (Result<RedirectVisit, BrowserFlowError>) -> Void
    ) {
        startThread(named: "browser-flow") { [self] in
            var loop = RedirectLoop(rules, wakeUp, until: end)
            let arrival = loop.arrival(at: socket) { isEnded }
            socket.close()
            guard let (answer, connection) = arrival else {
                finish(.failure(isEnded ? .cancelled : .timedOut))
                return loop.finish()
            }
            let hasPage = WakeUp()
            let browser = WaitingBrowser(connection, hasPage, otherwise: page)
            if pageTime <= .zero { browser.show(nil) }
            finish(.success(RedirectVisit(answer, browser)))
            loop.wait(for: browser, at: connection, until: .now + pageTime, or: hasPage)
            loop.finish()
        }
    }

    private var isEnded: Bool {
        phase.withLock { phase in
            if case .ended = phase { true } else { false }
        }
    }
}

extension BrowserFlowError {
    static let cancelled = BrowserFlowError(.cancelled, "The sign-in in the browser was cancelled.")

    static let timedOut = BrowserFlowError(
        .timedOut,
        "The sign-in in the browser was not finished in time.",
        remedy: "Start it again, and finish it in the browser."
    )
}
