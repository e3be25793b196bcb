import Foundation
import Synchronization
import TestSupport

@testable import PassAuth

/// A back end in this process that responds as its script says and records its calls.
final class ScriptedBackEnd: PassBackend {
    /// The scripted responses, which a test can change.
    struct Script: Sendable {
        var mvpds: [MVPD] = [MVPD("M1", displayName: "Cable", logoURL: "https://logo/1"), MVPD("M2")]
        var allowsDeviceID = false
        /// The errors of the next calls, by name of the call.
        var failures: [String: [PassBackendError]] = [:]
        /// The calls that end only when they are cancelled.
        var hanging: Set<String> = []
        /// The number of polls before the user has finished.
        var looks = 0
        var secondScreen = false
        var state: String? = "state"
        var kind = AuthenticationProfile.Kind.regular
        var signingKey: TokenSigningKey?
        var isProfile = false
        /// The digest of the client that profiles belong to.
        var client: String?
        /// Indicates whether only the client's own profiles count.
        var isAlone = false
        var permitted: Set<String> = ["a", "b"]
        var denials: [String: PassBackendError] = [:]
        var metadata: Data? = Data(
            #"{"updated":1,"encrypted":["zip"],"data":{"zip":"x","maxRating":{"MPAA":"PG"}}}"#.utf8
        )
        var logOutURL: String? = "https://sp/logout"
        /// The authorization lifetime.
        var authorizationLife: TimeInterval = 600
        var acceptsPassive = false
        /// The TV providers that each of several servers knows, by name of the server.
        var servers: [String: [MVPD]] = [:]
    }

    private struct State {
        var script = Script()
        var asked: [String] = []
        var requests: [PassRequest] = []
        var mediaTokens = 0
        var answered: AsyncStream<String>.Continuation?
    }

    private let clock: TestClock
    private let state: Mutex<State>
    /// The names of calls as they arrive.
    let calls: AsyncStream<String>

    init(_ clock: TestClock) {
        self.clock = clock
        let (calls, continuation) = AsyncStream.makeStream(of: String.self)
        self.calls = calls
        state = Mutex(State(answered: continuation))
    }

    func change(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

    /// Returns the calls since the last time and clears the list.
    func takeAsked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    var lastRequest: PassRequest? { state.withLock { $0.requests.last } }

    var profileClients: ProfileClients {
        let script = state.withLock { $0.script }
        return script.isAlone ? .only(Set([script.client].compactMap(\.self))) : .any
    }

    func register(_ softwareStatement: String, _ options: ClientOptions) async throws(PassBackendError) {
        _ = try await script("register \(softwareStatement)")
    }

    func configuration(_ request: PassRequest) async throws(PassBackendError) -> PassConfiguration {
        let script = try await script("configuration" + (request.serviceProvider.map { " \($0)" } ?? ""), request)
        let mvpds = request.serviceProvider.flatMap { script.servers[$0] } ?? script.mvpds
        var found = PassConfiguration(id: request.requestor, mvpds: mvpds)
        found.allowsDeviceID = script.allowsDeviceID
        return found
    }

    func startAuthentication(
        _ request: PassRequest,
        _ redirectURL: RedirectURL
    ) async throws(PassBackendError) -> AuthenticationStart {
        let script = try await script("start \(request.mvpd ?? "")", request)
        if script.kind != .regular {
            return .signedIn(AuthenticationProfile(try token(script, request), kind: script.kind))
        }
        let attempt = AuthenticationAttempt(id: "1", state: script.state)
        return redirectURL.isSecondScreen
            ? .code("ABC1234", expires: clock.now + 1800, attempt) : .page(url: "https://sp/login", attempt)
    }

    func profile(
        _ request: PassRequest,
        of attempt: AuthenticationAttempt
    ) async throws(PassBackendError) -> AuthenticationProfile? {
        let script = try await script("profile", request)
        let isEarly = state.withLock { state in
            state.script.looks -= 1
            return state.script.looks >= 0
        }
        return isEarly ? nil : AuthenticationProfile(try token(script, request))
    }

    func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile? {
        let script = try await script("passive \(request.mvpd ?? "")", request)
        return script.acceptsPassive ? AuthenticationProfile(try token(script, request)) : nil
    }

    func authorize(_ request: PassRequest, resource: String) async throws(PassBackendError) -> AuthorizationAnswer {
        let script = try await script("authorize \(resource)", request)
        if let denial = script.denials[resource] { throw denial }
        do {
            return AuthorizationAnswer(
                try AuthorizationToken(
                    requestor: request.requestor,
                    resource: resource,
                    mvpd: request.mvpd ?? "",
                    expires: clock.now + script.authorizationLife,
                    fingerprint: request.fingerprint,
                    signedWith: script.signingKey
                ),
                kind: script.kind
            )
        } catch {
            throw PassBackendError(.invalidAnswer)
        }
    }

    func mediaToken(_ request: PassRequest, for authorization: AuthorizationToken) async throws(PassBackendError)
        -> String
    {
        _ = try await script("mediaToken \(authorization.resource)", request)
        return state.withLock { state in
            state.mediaTokens += 1
            return "media \(state.mediaTokens)"
        }
    }

    func preauthorize(
        _ request: PassRequest,
        _ question: PreauthorizeRequest
    ) async throws(PassBackendError) -> [PreauthorizeResponse.Decision] {
        let script = try await script("preauthorize \(question.resources.joined(separator: " "))", request)
        return question.resources.map { .init(id: $0, authorized: script.permitted.contains($0)) }
    }

    func userMetadata(_ request: PassRequest) async throws(PassBackendError) -> Data? {
        try await script("metadata", request).metadata
    }

    func logOutURL(_ request: PassRequest, _ redirectURL: RedirectURL) async throws(PassBackendError) -> String? {
        try await script("logOutURL", request).logOutURL
    }

    private func script(_ call: String, _ request: PassRequest? = nil) async throws(PassBackendError) -> Script {
        let name = String(call.prefix { $0 != " " })
        let (script, failure) = state.withLock { state -> (Script, PassBackendError?) in
            state.asked.append(call)
            if let request { state.requests.append(request) }
            state.answered?.yield(call)
            var failures = state.script.failures[name] ?? []
            let failure = failures.isEmpty ? nil : failures.removeFirst()
            state.script.failures[name] = failures
            return (state.script, failure)
        }
        if let failure { throw failure }
        if script.hanging.contains(name) || script.hanging.contains(call) {
            // Ends when the task is cancelled.
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            continuation.finish()
            throw PassBackendError(.network)
        }
        return script
    }

    private func token(_ script: Script, _ request: PassRequest) throws(PassBackendError) -> AuthenticationToken {
        do {
            let (mvpd, expires) = (request.mvpd ?? "", clock.now + 3600)
            if script.isProfile {
                return try AuthenticationToken(
                    profileOf: "person",
                    requestor: request.requestor,
                    mvpd: mvpd,
                    expires: expires,
                    fingerprint: request.fingerprint,
                    client: script.client
                )
            }
            return try AuthenticationToken(
                userID: "person",
                requestor: request.requestor,
                domain: "example.com",
                mvpd: mvpd,
                expires: expires,
                fingerprint: request.fingerprint,
                signedWith: script.signingKey
            )
        } catch {
            throw PassBackendError(.invalidAnswer)
        }
    }
}
