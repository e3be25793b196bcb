internal import Dispatch
internal import Glibc
internal import Synchronization

/// Stands between connections and a message bus, passes every message on, and does harm at one method call.
///
/// What an interceptor only pretends happens here on the wire: a connection that is really cut, an answer that is really an
/// error.
package final class BusProxy: Sendable {
    /// The fate of a method call.
    package struct Harm: Sendable {
        package enum Outcome: Sendable {
            /// The call, or its answer, is passed on.
            case passed
            /// The connection is closed.
            case cut
            /// The caller receives an error with this name, from the bus or from the callee.
            case error(String, isOfBus: Bool)
        }

        let isAfter: Bool
        let outcome: Outcome
        let work: @Sendable () -> Void

        /// Harm before the call is delivered, which then it is only if `outcome` is `passed`, or after it was carried out and
        /// answered; `work` is done then.
        package init(isAfter: Bool, _ outcome: Outcome, _ work: @escaping @Sendable () -> Void = {}) {
            self.isAfter = isAfter
            self.outcome = outcome
            self.work = work
        }
    }

    private struct State {
        var harm: Harm?
        var number = Int.max
        var calls: [String]?
        var connections: [ProxyConnection] = []
        var daemon: String?
        var isClosed = false
    }

    /// The D-Bus address to connect to instead of the bus's.
    package let address: String
    private let bus: String
    private let listener: LocalSocket
    private let state = Mutex(State())
    private let harming = DispatchGroup()

    /// Stands before the bus of a keyring.
    package init(_ keyring: PrivateKeyring) throws {
        bus = "\(keyring.directory)/bus"
        let path = "\(keyring.directory)/proxy"
        _ = unsafe unlink(path)
        listener = try LocalSocket.listening(at: path)
        address = "unix:path=\(path)"
        DispatchQueue(label: "proxy").async { [self] in acceptAll() }
    }

    /// Ends every connection; the proxy accepts no other.
    package func close() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.connections
        }
        listener.shutDown()
        for connection in connections { connection.cut() }
    }

    /// Ends every connection that there is; others may come.
    package func cutConnections() {
        for connection in state.withLock({ $0.connections }) { connection.cut() }
    }

    /// Calls that expect no reply: passed on as they arrive, and never counted.
    private static let uncounted = ["ReleaseName", "RemoveMatch"]

    /// Counts calls from now on, and does no harm.
    package func count() {
        state.withLock { ($0.harm, $0.number, $0.calls) = (nil, .max, []) }
    }

    /// Does harm at one of the calls, counted from now on, from 1.
    package func harm(_ harm: Harm, at number: Int) {
        state.withLock { ($0.harm, $0.number, $0.calls) = (harm, number, []) }
    }

    /// Passes everything on from now on, and counts no more; harm that has begun is done when this returns.
    ///
    /// - Returns: the methods that were called.
    @discardableResult
    package func disarm() -> [String] {
        let calls = state.withLock { state in
            defer { (state.harm, state.number, state.calls) = (nil, .max, nil) }
            return state.calls ?? []
        }
        harming.wait()
        return calls
    }

    private func acceptAll() {
        while let client = listener.accepted() {
            guard let bus = try? LocalSocket.connected(to: bus) else {
                client.shutDown()
                Glibc.close(client.file)
                continue
            }
            let connection = ProxyConnection(client: client, bus: bus, proxy: self)
            let isClosed = state.withLock { state in
                state.connections.append(connection)
                return state.isClosed
            }
            connection.run()
            if isClosed { connection.cut() }
        }
        Glibc.close(listener.file)
    }

    /// The fate of a call in transit.
    ///
    /// A caller that is given a fault reports when it is done, or never will be.
    func fate(of call: WireMessage) -> Harm? {
        guard call.wantsAnswer, let member = call.member, !Self.uncounted.contains(member) else { return nil }
        return state.withLock { state in
            state.calls?.append(member)
            guard state.calls?.count == state.number, let harm = state.harm else { return nil }
            harming.enter()
            return harm
        }
    }

    func noteHarmIsDone() { harming.leave() }

    /// Notes who answers, so that an error can be said to be theirs.
    func note(_ daemon: String) { state.withLock { $0.daemon = daemon } }

    /// The reported sender of an error.
    func sender(ofError isOfBus: Bool, to call: WireMessage) -> String {
        let bus = "org.freedesktop.DBus"
        if isOfBus || call.destination == bus { return bus }
        return state.withLock { $0.daemon } ?? bus
    }

    func end(_ connection: ProxyConnection) {
        state.withLock { state in state.connections.removeAll { $0 === connection } }
    }
}

/// One connection through the proxy; one thread reads from each side.
final class ProxyConnection: Sendable {
    private let client: LocalSocket
    private let bus: LocalSocket
    private let proxy: BusProxy
    /// The calls whose answers are to be harmed, by their numbers.
    private let answers = Mutex<[UInt32: (call: WireMessage, harm: BusProxy.Harm)]>([:])
    /// The bus's messages and our errors go to the client one at a time.
    private let writing = Mutex(())
    /// How many of the two threads have ended.
    private let ended = Mutex(0)

    init(client: LocalSocket, bus: LocalSocket, proxy: BusProxy) {
        self.client = client
        self.bus = bus
        self.proxy = proxy
    }

    func run() {
        DispatchQueue(label: "proxy.calls").async { [self] in
            passCalls()
            finish()
        }
        DispatchQueue(label: "proxy.answers").async { [self] in
            passAnswers()
            finish()
        }
    }

    func cut() {
        client.shutDown()
        bus.shutDown()
    }

    private func finish() {
        cut()
        let isLast = ended.withLock { ended in
            ended += 1
            return ended == 2
        }
        guard isLast else { return }
        for _ in answers.withLock({ $0 }) { proxy.noteHarmIsDone() }
        close(client.file)
        close(bus.file)
        proxy.end(self)
    }

    private func passCalls() {
        // Ours is `\0AUTH EXTERNAL …`, `BEGIN`.
        while let line = client.readLine() {
            bus.write(line)
            if line == Array("BEGIN\r\n".utf8) { break }
        }
        while let message = client.readMessage() {
            guard let harm = proxy.fate(of: message) else {
                bus.write(message.bytes)
                continue
            }
            if harm.isAfter {
                answers.withLock { $0[message.serial] = (message, harm) }
                bus.write(message.bytes)
                continue
            }
            harm.work()
            proxy.noteHarmIsDone()
            switch harm.outcome {
            case .cut: return
            case .error(let name, let isOfBus): answer(message, name, isOfBus)
            case .passed: bus.write(message.bytes)
            }
        }
    }

    private func passAnswers() {
        guard let line = bus.readLine() else { return }
        client.write(line)
        while let message = bus.readMessage() {
            if message.answered != nil, let sender = message.sender, sender != "org.freedesktop.DBus" {
                proxy.note(sender)
            }
            let harmed = message.answered.flatMap { serial in answers.withLock { $0.removeValue(forKey: serial) } }
            if let harmed {
                harmed.harm.work()
                proxy.noteHarmIsDone()
            }
            switch harmed?.harm.outcome {
            case .cut: return
            case .error(let name, let isOfBus): if let call = harmed?.call { answer(call, name, isOfBus) }
            case .passed, nil: writing.withLock { _ in client.write(message.bytes) }
            }
        }
    }

    private func answer(_ call: WireMessage, _ name: String, _ isOfBus: Bool) {
        let error = WireMessage.error(name, to: call.serial, from: proxy.sender(ofError: isOfBus, to: call))
        writing.withLock { _ in client.write(error.bytes) }
    }
}
