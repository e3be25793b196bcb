package import FoundationEssentials
package import LoopbackServer

/// A stand-in for Firebase Authentication, on this machine alone, for tests and samples: it keeps a project's accounts in memory.
///
/// Clients reach it as they reach Google's emulator. It is stricter than that: tokens are signed and expire, refresh tokens rotate and
/// may not be used twice, sessions end with a password, changes that matter need a recent sign-in, addresses are protected.
package final class StandIn: Sendable {
    /// What happened.
    package let events = EventLog<StandInEvent>()
    let project: Project
    private let server: LoopbackServer

    /// Answers a request in the project's place, or has the project answer it.
    package typealias Tap =
        @Sendable (
            ServedRequest, _ proceed: @Sendable (ServedRequest) async -> ServedAnswer
        ) async -> ServedAnswer

    /// Starts one; port 0 has the system choose. With a tap, that gets every request before the project.
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

    /// Ends it; nothing is kept.
    package func stop() { server.stop() }

    /// How the project is set up.
    package var settings: StandInSettings {
        get { project.settings }
        set { project.settings = newValue }
    }

    /// Has something go wrong with calls to come.
    package func add(_ fault: CallFault) { project.faults.add(fault) }

    /// Answers what a fault holds.
    package func release() { project.faults.release() }

    /// Puts the project's clock on, or back.
    package func advanceClock(by seconds: TimeInterval) { project.advanceClock(by: seconds) }

    /// The time by the project's clock.
    package var now: Date { project.now }

    /// The codes of mails that are good, oldest first.
    package var codes: [OneTimeCode] {
        (try? project.withDirectory { directory, _ throws(Refusal) in directory.codes }) ?? []
    }

    /// A custom token, as a back end of the project makes it.
    package func mint(_ order: CustomTokenOrder) async throws -> String { try await project.mint(order) }

    /// An ID token, as another service issues it.
    package func mint(_ order: ForeignTokenOrder) async throws -> String { try await project.mint(order) }
}
