import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST
@testable import PassStandInServer

/// A stand-in server with the apps of a test.
protocol Site: PassSite {
    var keyring: InMemoryRecordStore { get }
    /// The clock of the apps.
    var now: @Sendable () -> Date { get }
    /// The time from which the apps measure durations. It does not jump when `now` does.
    var steady: @Sendable () -> Date { get }
}

/// The stand-in server in this process, reached over HTTP.
final class InProcessPass: Site, Sendable {
    static let team = "TEAM1.example.pass"

    let clock = TestClock()
    let server: LoopbackServer
    /// The redirect addresses of sign-ins, in the order in which they began.
    let redirects = Recorder<String>()
    /// The server's profile responses, as they were sent.
    let profiles = Recorder<[UInt8]>()
    let keyring = InMemoryRecordStore()
    /// The relay between the apps and the server.
    let relay = SpoilingRelay()

    var address: String { server.address }
    var password: String { ServerState.password }
    var now: @Sendable () -> Date { { [clock, relay] in clock.now + relay.secondsAhead } }
    var steady: @Sendable () -> Date { { [clock] in clock.now } }

    /// Starts a server. `hold` delays each request until it returns.
    init(throttle: Throttle? = nil, hold: @escaping @Sendable (ServedRequest) async -> Void = { _ in }) throws {
        let state = ServerState(
            key: try ServerKey(),
            statements: SoftwareStatements(agreed: ["statement"]),
            throttle: throttle
        )
        let service = PassService(state, now: { [clock] in clock.now })
        server = try LoopbackServer(named: "PassStandIn") { [redirects, profiles, relay] request in
            await relay.answer(request) {
                if request.path.hasSuffix("/sessions"), let address = request.form["redirectUrl"] {
                    redirects.record(address)
                }
                await hold(request)
                let answer = await service.answer(request)
                if request.path.contains("/profiles") { profiles.record(answer.body) }
                return answer
            }
        }
    }
}

extension Site {
    var steady: @Sendable () -> Date { now }

    /// Creates an app of the team.
    func app(
        _ name: String = "News",
        group: String? = InProcessPass.team,
        device: String = "device",
        policy: DeviceMismatchPolicy = .ignore,
        screen: AccessEnabler.Settings.Screen = .first,
        statement: String = "statement",
        _ change: (inout PassRESTBackend.Settings) -> Void = { _ in }
    ) throws -> ViewerApp {
        let tokens = PassTokenStore(
            appID: "com.example.tv.\(name)",
            group: try group.map { try AccessGroup($0) },
            in: keyring,
            device: try .custom(device),
            options: .init(mismatchPolicy: policy, now: now)
        )
        var settings = PassRESTBackend.Settings()
        settings.now = now
        change(&settings)
        let (steady, start) = (steady, steady())
        let elapsed: @Sendable () -> Duration = { .seconds(steady().timeIntervalSince(start)) }
        let backEnd = PassRESTBackend(
            try PassEndpoints(api: address),
            clients: StoredClients(appID: tokens.appID, in: keyring),
            settings: settings,
            elapsed: elapsed
        )
        let screens = AccessEnabler.Settings(screen: screen, customRedirectURL: "adbe.x://adobe.com")
        return ViewerApp(statement, tokens, backEnd, screens, elapsed: elapsed)
    }

    /// Returns a token of the programmer's own service that identifies the app's user.
    func serviceToken(of person: String) -> @Sendable () async throws -> String {
        { [address] in try await Self.send(.get, to: "\(address)/standin/service-token/\(person)").text }
    }
}
