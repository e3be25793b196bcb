import Dispatch
import Glibc
import Synchronization
import TestSupport

/// A proxy before a PostgreSQL server that passes every message on, and ends a connection at one statement.
final class PostgresProxy: Sendable {
    /// The moment at which a connection ends: before the statement reaches the server, or after the server has performed
    /// it, and before the client hears so.
    enum Moment: CaseIterable, Sendable {
        case before, after
    }

    private struct Plan {
        let moment: Moment
        let isPlace: @Sendable (_ number: Int, _ statement: String) -> Bool
        let work: @Sendable () -> Void
    }

    private struct State {
        var plan: Plan?
        var statements: [String] = []
        var connections: [ProxiedSockets] = []
        var isClosed = false
    }

    /// The directory of the socket to connect to in place of the server's.
    let directory: String
    private let server: String
    private let name: String
    private let listener: LocalSocket
    private let state = Mutex(State())
    private let harming = DispatchGroup()

    init(before server: PrivatePostgres) throws {
        // The path of a socket is short.
        directory = "\(server.directory)/proxy\(UInt32.random(in: 0 ... .max))"
        guard unsafe mkdir(directory, 0o700) == 0 else { throw Failure() }
        name = ".s.PGSQL.\(server.port)"
        self.server = "\(server.directory)/\(name)"
        listener = try LocalSocket.listening(at: "\(directory)/\(name)")
        DispatchQueue(label: "proxy").async { [self] in acceptAll() }
    }

    struct Failure: Error {}

    /// Ends all connections; the proxy accepts no other.
    func close() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.connections
        }
        listener.shutDown()
        for connection in connections { connection.cut() }
    }

    /// Ends the connection of the first statement, counted from now on, from 1, for which `isPlace` is true. `work` runs
    /// just before.
    func end(
        _ moment: Moment,
        where isPlace: @escaping @Sendable (_ number: Int, _ statement: String) -> Bool,
        _ work: @escaping @Sendable () -> Void = {}
    ) {
        state.withLock { state in
            state.plan = Plan(moment: moment, isPlace: isPlace, work: work)
            state.statements = []
        }
    }

    /// Passes everything on from now on. Returns once an end that has begun is complete.
    ///
    /// - Returns: The statements since ``end(_:where:_:)``.
    @discardableResult
    func disarm() -> [String] {
        let statements = state.withLock { state in
            state.plan = nil
            return state.statements
        }
        harming.wait()
        return statements
    }

    private func acceptAll() {
        while let client = listener.accepted() {
            guard let server = try? LocalSocket.connected(to: server) else {
                client.shutDown()
                Glibc.close(client.file)
                continue
            }
            let sockets = ProxiedSockets(client: client, server: server)
            let isClosed = state.withLock { state in
                state.connections.append(sockets)
                return state.isClosed
            }
            Connection(sockets, proxy: self).run()
            if isClosed { sockets.cut() }
        }
        Glibc.close(listener.file)
    }

    /// Returns the plan for a statement that is on its way, if it is the place.
    private func plan(at statement: String) -> Plan? {
        state.withLock { state in
            state.statements.append(statement)
            guard let plan = state.plan, plan.isPlace(state.statements.count, statement) else { return nil }
            state.plan = nil
            harming.enter()
            return plan
        }
    }

    private func forget(_ sockets: ProxiedSockets) {
        state.withLock { state in state.connections.removeAll { $0 === sockets } }
    }

    /// One connection through the proxy.
    private final class Connection: Sendable {
        private let sockets: ProxiedSockets
        private let proxy: PostgresProxy
        /// The plan for the statement that the server performs.
        private let atAnswer = Mutex<Plan?>(nil)

        init(_ sockets: ProxiedSockets, proxy: PostgresProxy) { (self.sockets, self.proxy) = (sockets, proxy) }

        private var client: LocalSocket { sockets.client }
        private var server: LocalSocket { sockets.server }

        func run() {
            sockets.run(requests: passStatements, answers: passAnswers) { [self] in
                if atAnswer.withLock({ $0 }) != nil { proxy.harming.leave() }
                proxy.forget(sockets)
            }
        }

        private func passStatements() {
            // The first message has no type: the start of a session, or a request to cancel a statement.
            guard let start = message(from: client, withType: false) else { return }
            server.write(start)
            while true {
                // A statement is sent as several messages, of which the last is Sync.
                var (bytes, statement, isWhole): ([UInt8], String?, Bool) = ([], nil, false)
                while !isWhole {
                    guard let next = message(from: client, withType: true) else { return }
                    if next[0] == UInt8(ascii: "P") { statement = Self.statement(in: next) }
                    isWhole = next[0] == UInt8(ascii: "S") || next[0] == UInt8(ascii: "X")
                    bytes += next
                }
                guard let statement, let plan = proxy.plan(at: statement) else {
                    server.write(bytes)
                    continue
                }
                switch plan.moment {
                case .before:
                    plan.work()
                    proxy.harming.leave()
                    return
                case .after:
                    atAnswer.withLock { $0 = plan }
                    server.write(bytes)
                }
            }
        }

        private func passAnswers() {
            while let answer = message(from: server, withType: true) {
                guard let plan = atAnswer.withLock({ $0 }) else {
                    client.write(answer)
                    continue
                }
                guard answer[0] == UInt8(ascii: "Z") else { continue }
                plan.work()
                return
            }
        }

        private func message(from socket: LocalSocket, withType: Bool) -> [UInt8]? {
            guard let head = socket.read(withType ? 5 : 4) else { return nil }
            let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length >= 4, let rest = socket.read(length - 4) else { return nil }
            return head + rest
        }

        /// Returns the text in a Parse message, which begins with its type, its length, and the statement's name.
        private static func statement(in message: [UInt8]) -> String {
            let named = message.dropFirst(5).drop { $0 != 0 }.dropFirst()
            return String(decoding: named.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
