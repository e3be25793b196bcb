internal import DesktopSupport
internal import Glibc

/// Serves the listener's connections on the calling thread until the answer arrives.
struct RedirectLoop {
    private struct Connection {
        let socket: LoopbackSocket
        /// The time at which it is closed at the latest.
        var end: ContinuousClock.Instant
        var request = RedirectRequest()
        /// True after the response was sent. The connection stays open until the other side has read the response and
        /// closes: closing a socket with unread input discards the output.
        var isAnswered = false
        /// True if the other side has closed it.
        var isOver = false
        /// True for a connection of another user, until its request is known.
        var isForeign = false

        mutating func answer(_ response: [UInt8]) {
            isAnswered = true
            request = RedirectRequest()
            socket.sendAll(response)
        }
    }

    private let rules: RedirectRules
    private let wakeUp: WakeUp
    private let end: ContinuousClock.Instant
    private let note: (RedirectRefusal) -> Void
    private var connections: [Connection] = []

    /// The time limit of a connection, from its acceptance until the other side closes it.
    private let connectionTime: Duration
    /// The maximum number of open connections, and of connections accepted in one pass. A browser opens a few, and no
    /// other program may block it.
    static let connectionLimit = 32
    /// The maximum number of reads from a connection in one pass.
    private static let readLimit = 4

    init(
        _ rules: RedirectRules,
        _ wakeUp: WakeUp,
        until end: ContinuousClock.Instant,
        connectionTime: Duration = .seconds(10),
        noting note: @escaping (RedirectRefusal) -> Void = { _ in }
    ) {
        self.connectionTime = connectionTime
        self.note = note
        self.rules = rules
        self.wakeUp = wakeUp
        self.end = end
    }

    /// Serves until the expected answer arrives. Returns it with the connection on which the browser waits for a page,
    /// or nil when the time is over or `isStopped` returns true.
    mutating func arrival(
        at listeners: [LoopbackSocket],
        isStopped: () -> Bool
    ) -> (RedirectAnswer, LoopbackSocket)? {
        while !isStopped(), ContinuousClock.now < end {
            if poll(listeners.map(\.descriptor) + [wakeUp.descriptor], until: end) {
                for listener in listeners { accept(from: listener) }
            }
            for index in connections.indices {
                if let answer = serve(&connections[index]) { return (answer, connections[index].socket) }
            }
            closeFinished()
            closeSurplus()
        }
        return nil
    }

    /// Waits until the browser has its page or has closed the connection. When the time is over, the browser gets the
    /// usual page. No other requests are served.
    mutating func wait(
        for browser: WaitingBrowser,
        at socket: LoopbackSocket,
        until end: ContinuousClock.Instant,
        or hasPage: WakeUp
    ) {
        connections.removeAll { !$0.isAnswered }
        for index in connections.indices where connections[index].socket === socket { connections[index].end = end }
        while !browser.isAnswered, connections.contains(where: { $0.socket === socket }) {
            _ = poll([hasPage.descriptor], until: end)
            drain()
        }
        browser.show(nil)
    }

    /// Waits at most 2 seconds until the connections with a response have closed. No other requests are served.
    mutating func finish() {
        connections.removeAll { !$0.isAnswered }
        let end = ContinuousClock.Instant.now + .seconds(2)
        for index in connections.indices { connections[index].end = min(connections[index].end, end) }
        drain()
        while !connections.isEmpty {
            _ = poll([], until: end)
            drain()
        }
    }

    /// Discards further input of connections with a response, and closes the finished and expired ones.
    private mutating func drain() {
        for index in connections.indices { _ = serve(&connections[index]) }
        closeFinished()
    }
}

extension RedirectLoop {
    /// Accepts pending connections, up to a limit, and refuses those of other users.
    private mutating func accept(from listener: LoopbackSocket) {
        for _ in 1...Self.connectionLimit {
            guard let socket = listener.accepted() else { return }
            // Another user can read the state in the arguments of the browser's process, and use it to sign in with
            // their own account.
            let isTrusted = socket.owner.isTrusted()
            var connection = Connection(socket: socket, end: .now + connectionTime)
            // Its input is read, though nothing is answered any more: closing a socket with unread input would discard
            // the response.
            if !isTrusted {
                connection.answer(RedirectResponse.refusal(.otherUser))
                connection.isForeign = true
            }
            connections.append(connection)
        }
    }

    /// Closes surplus connections: first those with a response, then those that have sent nothing, the oldest first.
    private mutating func closeSurplus() {
        for isUseless in [{ $0.isAnswered }, { !$0.request.hasBegun }, { _ in true }] as [(Connection) -> Bool] {
            while connections.count > Self.connectionLimit, let index = connections.firstIndex(where: isUseless) {
                connections.remove(at: index)
            }
        }
    }

    /// Reads the input of a connection, and responds once the request is complete.
    private func serve(_ connection: inout Connection) -> RedirectAnswer? {
        for _ in 1...Self.readLimit {
            guard let bytes = connection.socket.received() else { return nil }
            guard !bytes.isEmpty else {
                connection.isOver = true
                return nil
            }
            if connection.isForeign { noteForeign(&connection, bytes) }
            if connection.isAnswered { continue }
            connection.request.read(bytes)
            switch rules.verdict(on: connection.request) {
            case .wait:
                continue
            case .refuse(let refusal):
                refuse(&connection, refusal)
            case .accept(let answer):
                // Its page is sent later.
                connection.isAnswered = true
                connection.request = RedirectRequest()
                return answer
            }
        }
        return nil
    }

    private func refuse(_ connection: inout Connection, _ refusal: RedirectRefusal) {
        connection.answer(RedirectResponse.refusal(refusal))
        note(refusal)
    }

    /// Notes another user's request once it turns out to be one for the redirect: any program may try a port.
    private func noteForeign(_ connection: inout Connection, _ bytes: [UInt8]) {
        connection.request.read(bytes)
        switch rules.verdict(on: connection.request) {
        case .wait: return
        case .refuse(let refusal) where !refusal.concernsSignIn: break
        case .refuse, .accept: note(.otherUser)
        }
        connection.isForeign = false
        connection.request = RedirectRequest()
    }

    /// Closes the finished and the expired connections. One whose request is still incomplete gets a response.
    private mutating func closeFinished() {
        let now = ContinuousClock.now
        for connection in connections
        where connection.end <= now && !connection.isAnswered && connection.request.hasBegun {
            connection.socket.sendAll(RedirectResponse.refusal(.incomplete))
        }
        connections.removeAll { $0.isOver || $0.end <= now }
    }

    /// Waits for events, and returns whether one of these descriptors has one.
    private func poll(_ own: [Int32], until limit: ContinuousClock.Instant) -> Bool {
        var entries = (own + connections.map(\.socket.descriptor)).map { descriptor in
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        }
        let next = connections.map(\.end).reduce(limit, min)
        let milliseconds = max(.zero, ContinuousClock.now.duration(to: next)).wholeMilliseconds
        _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
        return entries.prefix(own.count).contains { $0.revents != 0 }
    }
}
