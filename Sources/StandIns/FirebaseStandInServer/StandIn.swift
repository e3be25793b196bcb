package import FoundationEssentials
package import LoopbackServer

/// A stand-in for Firebase Authentication, for tests and samples. Reachable only from this machine; keeps a project's
/// accounts in memory.
///
/// Clients use it like Google's emulator. It is stricter: tokens are signed and expire, refresh tokens rotate and work
/// only once, a new password ends sessions, sensitive changes need a recent sign-in, and addresses are protected.
package final class StandIn: Sendable {
    /// The event log.
    package let events = EventLog<StandInEvent>()
    let project: Project
    private let server: LoopbackServer

    /// Responds to a request instead of the project, or calls `proceed` to pass it to the project.
    package typealias Tap =
        @Sendable (
            ServedRequest, _ proceed: @Sendable (ServedRequest) async -> ServedAnswer
        ) async -> ServedAnswer

    /// Starts a stand-in. With port 0, the system chooses a port. A tap receives every request before the project.
    package init(
        project id: String = "stand-in",
        port: Int = 0,
        settings: StandInSettings = StandInSettings(),
        tap: Tap? = nil
    ) throws(LoopbackServerError) {
        let project = Project(id: id, settings: settings, events: events)
        self.project = project
        server = try LoopbackServer(named: "FirebaseStandIn (SharedAuth, for tests and samples)", port: port) {
            request in
            guard let tap else { return await project.answer(request) }
            return await tap(request) { await project.answer($0) }
        }
    }

    package var port: Int { server.port }
    package var address: String { server.address }

    /// Stops the server. All state is lost.
    package func stop() { server.stop() }

    /// The settings of the project.
    package var settings: StandInSettings {
        get { project.settings }
        set { project.settings = newValue }
    }

    /// Adds a fault for future calls.
    package func add(_ fault: CallFault) { project.faults.add(fault) }

    /// Releases the calls that a fault holds.
    package func release() { project.faults.release() }

    /// Moves the project's clock forward, or back if `seconds` is negative.
    package func advanceClock(by seconds: TimeInterval) { project.advanceClock(by: seconds) }

    /// The time by the project's clock.
    package var now: Date { project.now }

    /// The unused codes of e-mails, oldest first.
    package var codes: [OneTimeCode] {
        (try? project.withDirectory { directory, _ throws(Refusal) in directory.codes }) ?? []
    }

    /// Returns a custom token, as a back end of the project creates it.
    package func mint(_ order: CustomTokenOrder) async throws -> String { try await project.mint(order) }

    /// Returns an ID token, as another service issues it.
    package func mint(_ order: ForeignTokenOrder) async throws -> String { try await project.mint(order) }
}
