internal import Dispatch
internal import Glibc
internal import Synchronization

/// A proxy between connections and a message bus that passes every message on, and injects a fault at one method call.
///
/// An interceptor only simulates a fault. The proxy makes it on the wire: it really cuts a connection or sends an error
/// reply.
package final class BusProxy: Sendable {
    /// The fault at a method call.
    package struct Harm: Sendable {
        package enum Outcome: Sendable {
            /// The call, or its reply, is passed on.
            case passed
            /// The connection is closed.
            case cut
            /// The caller gets an error with this name, from the bus or from the call's receiver.
            case error(String, isOfBus: Bool)
        }

        let isAfter: Bool
        let outcome: Outcome
        let work: @Sendable () -> Void

        /// Makes a fault before the call is delivered, or after it was carried out and replied to; `work` runs at that
        /// time. Before delivery, the call is delivered only if `outcome` is `passed`.
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

    /// The D-Bus address to connect to in place of the bus's address.
    package let address: String
    private let bus: String
    private let listener: LocalSocket
    private let state = Mutex(State())
    private let harming = DispatchGroup()

    /// Starts a proxy for the bus of a keyring.
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

    /// Ends every existing connection; new ones are accepted.
    package func cutConnections() {
        for connection in state.withLock({ $0.connections }) { connection.cut() }
    }

    /// Calls whose replies no caller waits for. They arrive at any time, and are passed on without being counted.
    private static let uncounted = ["AddMatch", "ReleaseName", "RemoveMatch"]

    /// Counts calls from now on, and injects no fault.
    package func count() {
        state.withLock { ($0.harm, $0.number, $0.calls) = (nil, .max, []) }
    }

    /// Injects a fault at the call of this number, counted from now on, from 1.
    package func harm(_ harm: Harm, at number: Int) {
        state.withLock { ($0.harm, $0.number, $0.calls) = (harm, number, []) }
    }

    /// Passes everything on from now on and stops counting. Returns once a fault that has begun is complete.
    ///
    /// - Returns: The methods that were called.
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

    /// Returns the fault for a call that is on its way.
    ///
    /// The caller of this method reports when the fault is complete, or never will be.
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

    /// Records the daemon that replies, so that an error can name it as its sender.
    func note(_ daemon: String) { state.withLock { $0.daemon = daemon } }

    /// Returns the sender to name in an error.
    func sender(ofError isOfBus: Bool, to call: WireMessage) -> String {
        let bus = "org.freedesktop.DBus"
        if isOfBus || call.destination == bus { return bus }
        return state.withLock { $0.daemon } ?? bus
    }

    func end(_ connection: ProxyConnection) {
        state.withLock { state in state.connections.removeAll { $0 === connection } }
    }
}

/// One connection through the proxy.
final class ProxyConnection: Sendable {
    private let sockets: ProxiedSockets
    private let proxy: BusProxy
    /// The calls with a fault at their replies, by serial number.
    private let answers = Mutex<[UInt32: (call: WireMessage, harm: BusProxy.Harm)]>([:])
    /// The bus's messages and the proxy's errors are written to the client one at a time.
    private let writing = Mutex(())

    init(client: LocalSocket, bus: LocalSocket, proxy: BusProxy) {
        sockets = ProxiedSockets(client: client, server: bus)
        self.proxy = proxy
    }

    private var client: LocalSocket { sockets.client }
    private var bus: LocalSocket { sockets.server }

    func run() {
        sockets.run(requests: passCalls, answers: passAnswers) { [self] in
            for _ in answers.withLock({ $0 }) { proxy.noteHarmIsDone() }
            proxy.end(self)
        }
    }

    func cut() { sockets.cut() }

    private func passCalls() {
        // Our client sends `\0AUTH EXTERNAL …`, `BEGIN`.
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
