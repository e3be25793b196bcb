package import FoundationEssentials
internal import LoopbackServer

/// A stand-in for Pass's servers, for tests and samples. Reachable only from this machine; keeps its state in memory.
package final class StandIn: Sendable {
    /// The password of every account at its TV providers.
    package static let password = ServerState.password

    private let statements: SoftwareStatements
    private let now: @Sendable () -> Date
    private let server: LoopbackServer

    /// Starts a stand-in.
    ///
    /// - Parameters:
    ///   - port: The port; with 0, the system chooses one.
    ///   - statements: Software statements to accept in addition to the stand-in's own.
    ///   - throttle: The limit of each device's calls; nil for no limit.
    ///   - now: The clock.
    ///   - report: A closure that is called with each event, in order. It must not call the stand-in.
    /// - Throws: `LoopbackServerError` if libsoup 3 is missing or the port is taken; `PassTokenError` with code
    ///   `invalidKey` if no key can be made.
    package init(
        port: Int = 0,
        statements: Set<String> = [],
        throttle: Throttle? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (StandInEvent) -> Void = { _ in }
    ) throws {
        let statements = SoftwareStatements(agreed: statements)
        let state = ServerState(key: try ServerKey(), statements: statements, throttle: throttle)
        let service = PassService(state, now: now, report: report)
        self.statements = statements
        self.now = now
        server = try LoopbackServer(named: "PassStandIn (SharedAuth, for tests and samples)", port: port) {
            await service.answer($0)
        }
    }

    package var port: Int { server.port }
    package var address: String { server.address }

    /// Stops the server. All state is lost.
    package func stop() { server.stop() }

    /// Returns a new software statement for an app. It does not expire.
    package func newStatement(for application: String) throws -> String {
        try statements.statement(for: application, lifetime: nil, now: now())
    }
}
