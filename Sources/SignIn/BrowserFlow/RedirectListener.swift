internal import DesktopSupport
public import FoundationEssentials
internal import Synchronization

/// Receives the redirect of a browser to an app: the loopback redirect of RFC 8252.
///
/// The listener is bound to `127.0.0.1` when it is created, so that its ``redirectURI`` can be sent to the server
/// before a redirect can arrive. It stops after the first expected answer, when the time is over, when the task is
/// cancelled, with ``close()``, or with its last reference. It refuses requests of other users' programs, and requests
/// with another path, another host name, a wrong `state` or a parameter that occurs twice. Neither these nor a
/// browser's preconnections and icon requests stop it. The page of a refusal says what to do, and so does the error
/// if the time is over after one. Each connection has 10 seconds for its request, whose address has at most 32 kB; its
/// other headers, such as cookies, may have any size.
public final class RedirectListener: Sendable {
    private enum Phase {
        case bound([LoopbackSocket])
        case listening
        case ended
    }

    /// The URI to which the server redirects the browser, such as `http://127.0.0.1:40123/callback`.
    public let redirectURI: URL

    private let path: String
    private let host: String
    private let page: BrowserPage
    private let phase: Mutex<Phase>
    private let refused: @Sendable (RedirectRefusal) -> Void
    private let wakeUp = WakeUp()

    /// Binds the port.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URI, as registered at the server. It must begin with a slash and have no
    ///     query; anything else ends the program.
    ///   - port: The port, for servers that compare it; nil for any free port, which RFC 8252 requires servers to
    ///     accept.
    ///   - host: The host name of the redirect URI.
    ///   - page: The page that the browser shows at the end.
    /// - Throws: ``BrowserFlowError/Code/portUnavailable``.
    public convenience init(
        path: String = "/callback",
        port: UInt16? = nil,
        host: RedirectHost = .address,
        page: BrowserPage = .default
    ) throws(BrowserFlowError) {
        try self.init(path: path, port: port, host: host, page: page) { _ in }
    }

    /// Binds the port, and calls `refused` on the listener's thread once for each kind of request that it refuses.
    package init(
        path: String,
        port: UInt16?,
        host name: RedirectHost,
        page: BrowserPage,
        refused: @escaping @Sendable (RedirectRefusal) -> Void
    ) throws(BrowserFlowError) {
        let sockets = try LoopbackSocket.listening(on: port ?? 0, for: name)
        let port = sockets[0].port
        host = port == 80 ? name.rawValue : "\(name.rawValue):\(port)"
        self.refused = refused
        guard let uri = URL(string: "http://\(host)\(path)"), path.hasPrefix("/"),
            uri.path(percentEncoded: true) == path
        else { preconditionFailure("\(path) is not a URL path: it must begin with a slash and have no query.") }
        redirectURI = uri
        self.path = path
        self.page = page
        phase = Mutex(.bound(sockets))
    }

    /// Waits for the redirect and shows the listener's page in the browser.
    ///
    /// - Parameters:
    ///   - state: The `state` that was sent to the server. Only an answer with the same value is accepted.
    ///   - timeout: The time limit for the user.
    /// - Throws: ``BrowserFlowError/Code/timedOut``; ``BrowserFlowError/Code/cancelled`` as soon as the task is
    ///   cancelled or the listener is closed, and from a second call, since a listener receives one answer.
    public func redirect(
        matching state: String,
        timeout: Duration = .seconds(300)
    ) async throws(BrowserFlowError) -> RedirectAnswer {
        // Without a page time, the browser gets its page immediately.
        try await visit(matching: state, timeout: timeout, pageTime: .zero).answer
    }

    /// Waits for the redirect. The browser then waits for a page that shows the result of the sign-in.
    ///
    /// - Parameters:
    ///   - state: The `state` that was sent to the server. Only an answer with the same value is accepted.
    ///   - timeout: The time limit for the user.
    ///   - pageTime: The time that the browser waits for the page; after that, it shows the listener's page.
    /// - Throws: The errors of ``redirect(matching:timeout:)``.
    public func visit(
        matching state: String,
        timeout: Duration = .seconds(300),
        pageTime: Duration = .seconds(40)
    ) async throws(BrowserFlowError) -> RedirectVisit {
        let end = ContinuousClock.now + timeout
        let sockets = phase.withLock { phase -> [LoopbackSocket]? in
            guard case .bound(let sockets) = phase else { return nil }
            phase = .listening
            return sockets
        }
        guard let sockets else { throw .cancelled }
        let rules = RedirectRules(path: path, host: host, state: state)
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                listen(on: sockets, rules, until: end, pageTime) { result in continuation.resume(returning: result) }
            }
        } onCancel: {
            close()
        }.get()
    }

    /// Stops listening. A pending wait throws ``BrowserFlowError/Code/cancelled``.
    public func close() {
        phase.withLock { phase in
            if case .bound(let sockets) = phase { for socket in sockets { socket.close() } }
            phase = .ended
        }
        wakeUp.signal()
    }

    private func listen(
        on sockets: [LoopbackSocket],
        _ rules: RedirectRules,
        until end: ContinuousClock.Instant,
        _ pageTime: Duration,
        _ finish: @escaping @Sendable (Result<RedirectVisit, BrowserFlowError>) -> Void
    ) {
        startThread(named: "browser-flow") { [self] in
            var (last, told) = (RedirectRefusal?.none, Set<RedirectRefusal>())
            var loop = RedirectLoop(rules, wakeUp, until: end) { [refused] refusal in
                // Any program can send requests, so each kind is told once.
                guard told.insert(refusal).inserted else { return }
                if refusal.concernsSignIn { last = refusal }
                refused(refusal)
            }
            let arrival = loop.arrival(at: sockets) { isEnded }
            for socket in sockets { socket.close() }
            guard let (answer, connection) = arrival else {
                finish(.failure(isEnded ? .cancelled : .timedOut(after: last)))
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

    /// - Parameter refusal: The last refusal of a request that may have been the redirect.
    static func timedOut(after refusal: RedirectRefusal?) -> BrowserFlowError {
        let message = "The sign-in in the browser was not finished in time."
        return BrowserFlowError(
            .timedOut,
            refusal.map { "\(message) A redirect was refused: \($0.reason.beginningInLowerCase)." } ?? message,
            remedy: refusal?.remedy ?? "Start it again, and finish it in the browser."
        )
    }
}

extension String {
    /// The text as the continuation of a sentence.
    package var beginningInLowerCase: String { prefix(1).lowercased() + dropFirst() }
}
