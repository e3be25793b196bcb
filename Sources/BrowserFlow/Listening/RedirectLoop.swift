internal import DesktopSupport
internal import Glibc

/// Serves the listener's connections on the calling thread until the answer comes.
struct RedirectLoop {
    private struct Connection {
        let socket: LoopbackSocket
        /// The latest moment at which it is closed.
        var end: ContinuousClock.Instant
        var bytes: [UInt8] = []
        /// It stays until the other side has read the answer and closes: a socket that is closed while there is
        /// something to read loses what it sent.
        var isAnswered = false
        /// The other side has closed it.
        var isOver = false

        mutating func answer(_ response: [UInt8]) {
            isAnswered = true
            bytes = []
            socket.sendAll(response)
        }
    }

    private let rules: RedirectRules
    private let wakeUp: WakeUp
    private let end: ContinuousClock.Instant
    private var connections: [Connection] = []

    /// The time that a connection may take to send its request, or to go after its answer.
    static let connectionTime = Duration.seconds(10)
    /// The most connections that stay, and that are taken on between two looks at all of them: a browser opens a few, and no
    /// other program shall keep it out.
    static let connectionLimit = 32
    /// The most that is read from a connection before others have their turn.
    private static let readLimit = 4

    init(_ rules: RedirectRules, _ wakeUp: WakeUp, until end: ContinuousClock.Instant) {
        self.rules = rules
        self.wakeUp = wakeUp
        self.end = end
    }

    /// Serves until the expected answer comes; returns it, and the connection on which the browser waits for a page. Returns nil at
    /// the end of the time or when `isStopped`.
    mutating func arrival(
        at listener: LoopbackSocket,
        isStopped: () -> Bool
    ) -> (RedirectAnswer, LoopbackSocket)? {
        while !isStopped(), ContinuousClock.now < end {
            if poll(listener.descriptor, wakeUp.descriptor, until: end) { accept(from: listener) }
            for index in connections.indices {
                if let answer = serve(&connections[index]) { return (answer, connections[index].socket) }
            }
            closeFinished()
            closeSurplus()
        }
        return nil
    }

    /// Waits until the browser has its page, or has gone; at the end of the time it gets the usual one. Nobody else is served.
    mutating func wait(
        for browser: WaitingBrowser,
        at socket: LoopbackSocket,
        until end: ContinuousClock.Instant,
        or hasPage: WakeUp
    ) {
        connections.removeAll { !$0.isAnswered }
        for index in connections.indices where connections[index].socket === socket { connections[index].end = end }
        while !browser.isAnswered, connections.contains(where: { $0.socket === socket }) {
            _ = poll(hasPage.descriptor, until: end)
            drain()
        }
        browser.show(nil)
    }

    /// Waits until those that were answered have gone; nobody else is served.
    mutating func finish() {
        connections.removeAll { !$0.isAnswered }
        let end = ContinuousClock.Instant.now + .seconds(2)
        for index in connections.indices { connections[index].end = min(connections[index].end, end) }
        drain()
        while !connections.isEmpty {
            _ = poll(until: end)
            drain()
        }
    }

    /// Reads what those send who were answered, and closes those who have gone or whose time is over.
    private mutating func drain() {
        for index in connections.indices { _ = serve(&connections[index]) }
        closeFinished()
    }
}

extension RedirectLoop {
    /// Takes on some of those who wait, and refuses other users.
    private mutating func accept(from listener: LoopbackSocket) {
        for _ in 1...Self.connectionLimit {
            guard let socket = listener.accepted() else { return }
            // Another user can read the state in the arguments of the browser's process, and sign in with it under their own name.
            let isTrusted = socket.owner.isTrusted()
            var connection = Connection(socket: socket, end: .now + Self.connectionTime)
            // It is read to its end, unheeded: a socket that is closed with bytes in it takes the answer back.
            if !isTrusted { connection.answer(RedirectResponse.refusal(403)) }
            connections.append(connection)
        }
    }

    /// Closes what is too many: the answered first, then those that have sent nothing, and of each the oldest.
    private mutating func closeSurplus() {
        for isUseless in [{ $0.isAnswered }, { $0.bytes.isEmpty }, { _ in true }] as [(Connection) -> Bool] {
            while connections.count > Self.connectionLimit, let index = connections.firstIndex(where: isUseless) {
                connections.remove(at: index)
            }
        }
    }

    /// Reads what has arrived on a connection, and answers once there is a whole request.
    private func serve(_ connection: inout Connection) -> RedirectAnswer? {
        for _ in 1...Self.readLimit {
            guard let bytes = connection.socket.received() else { return nil }
            guard !bytes.isEmpty else {
                connection.isOver = true
                return nil
            }
            if connection.isAnswered { continue }
            connection.bytes += bytes
            switch rules.verdict(on: connection.bytes) {
            case .wait:
                continue
            case .refuse(let status):
                connection.answer(RedirectResponse.refusal(status))
            case .accept(let answer):
                // Its page comes later, or at once.
                connection.isAnswered = true
                connection.bytes = []
                return answer
            }
        }
        return nil
    }

    private mutating func closeFinished() {
        let now = ContinuousClock.now
        connections.removeAll { $0.isOver || $0.end <= now }
    }

    /// Waits for anything to happen, and says whether it did at the first of the descriptors.
    private func poll(_ own: Int32..., until limit: ContinuousClock.Instant) -> Bool {
        var entries = (own + connections.map(\.socket.descriptor)).map { descriptor in
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        }
        let next = connections.map(\.end).reduce(limit, min)
        let milliseconds = max(.zero, ContinuousClock.now.duration(to: next)).wholeMilliseconds
        _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
        return !own.isEmpty && entries[0].revents != 0
    }
}
