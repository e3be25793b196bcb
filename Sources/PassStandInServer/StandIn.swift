package import FoundationEssentials
internal import LoopbackServer

/// A stand-in for Pass's servers, on this machine alone, for tests and samples; it keeps everything in memory.
package final class StandIn: Sendable {
    /// Opens every account of its TV providers.
    package static let password = ServerState.password

    private let statements: SoftwareStatements
    private let now: @Sendable () -> Date
    private let server: LoopbackServer

    /// Starts one.
    ///
    /// - Parameters:
    ///   - port: 0 has the system choose one.
    ///   - statements: software statements to accept, besides its own.
    ///   - throttle: how often a device may call; nil: as often as it likes.
    ///   - now: its clock.
    ///   - report: called with each event, in order; it must not call back.
    /// - Throws: `LoopbackServerError` if libsoup 3 is missing, the port is taken, or no key can be made.
    package init(
        port: Int = 0,
        statements: Set<String> = [],
        throttle: Throttle? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (StandInEvent) -> Void = { _ in }
    ) throws {
        let statements = SoftwareStatements(agreed: statements)
        let state = ServerState(keys: try ServerKeys(), statements: statements, throttle: throttle)
        let service = PassService(state, now: now, report: report)
        self.statements = statements
        self.now = now
        server = try LoopbackServer(named: "PassStandIn (SharedAuth, for tests and samples)", port: port) {
            await service.answer($0)
        }
    }

    package var port: Int { server.port }
    package var address: String { server.address }

    /// Ends it; nothing is kept.
    package func stop() { server.stop() }

    /// Returns a new software statement for an app, which does not expire.
    package func newStatement(for application: String) -> String {
        statements.statement(for: application, lifetime: nil, now: now())
    }
}
