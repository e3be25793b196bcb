import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

struct PlainServerTests {
    @Test("A session lives and ends at an OAuth 2 server as it is deployed", arguments: PlainServer.all)
    func life(_ server: PlainServer) async throws {
        let life = PlainSessionLife(server)
        try await life.signIn()
        try await life.share()
        try await life.reload()
        if server.offersDeviceCodes { try await life.signInByDevice() }
        try await life.end()
        try await life.signOut()
    }
}

/// A session at one plain OAuth 2 server. What is expected is the same at all of them.
private final class PlainSessionLife: Sendable {
    private static let office = "group.com.example.office"

    private let server: PlainServer
    private let world = IssuerFixture()
    /// The refusals of the next polls.
    private let polls = Mutex<[String]>([])
    private let hasEnded = Mutex(false)

    init(_ server: PlainServer) {
        self.server = server
        world.issuer.change { [self] script in
            (script.answersWithForms, script.rotates) = (server.answersWithForms, server.rotates)
            script.givesRefreshToken = server.givesRefreshToken
            script.changeRedirect = { $0["iss"] = nil }
            script.changeTokens = { $0 = Self.tokens($0, of: server) }
            script.changeUserInfo = { $0 = server.page }
            script.changeRegistration = { answer in
                answer["token_endpoint_auth_method"] = nil
                (answer["client_secret"], answer["client_secret_expires_at"]) = ("hush", 0)
            }
            script.changeMetadata = { metadata in
                metadata["authorization_response_iss_parameter_supported"] = nil
                for (name, value) in server.metadata ?? [:] { metadata[name] = value }
            }
            script.respond = { [unowned self] question, form in respond(to: question, form) }
        }
    }

    private static func tokens(_ answer: [String: JSONValue], of server: PlainServer) -> [String: JSONValue] {
        var answer = answer.merging(server.tokenMembers) { $1 }
        answer["id_token"] = nil
        answer["expires_in"] = server.lifetime.map { server.answersWithForms ? .string("\($0)") : .number(Double($0)) }
        return answer
    }

    private func respond(to question: String, _ form: [String: String]) -> HTTPResponse? {
        let hasEnded = hasEnded.withLock { $0 }
        switch question {
        case "/token refresh_token" where hasEnded: return refusal(server.deadRefresh)
        case "/userinfo" where hasEnded: return server.deadAccess
        case "/token \(DeviceFlow.grantType)":
            let word = polls.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return word.map { refusal($0) }
        case "/device" where server.answersWithForms:
            return .form([
                "device_code": "device", "user_code": "WDJB-MJHT", "verification_uri": "https://issuer.example/device",
                "expires_in": "899", "interval": "5",
            ])
        default: return nil
        }
    }

    private func refusal(_ word: String) -> HTTPResponse {
        server.answersWithForms ? .form(["error": .string(word), "error_description": "See the docs"]) : .refusal(word)
    }

    // MARK: Apps

    private var client: OAuthClient {
        var registration = OAuthRegistration(clientName: "Desktop")
        registration.metadata = server.registration ?? [:]
        return server.registration == nil
            ? OAuthClient(place, clientID: "desktop", clientSecret: server.secret, scopes: server.scopes)
            : OAuthClient(place, registering: registration, scopes: server.scopes)
    }

    private var place: OAuthServer {
        func url(_ path: String) -> String { "\(ScriptedIssuer.issuerURL)/\(path)" }
        let user = server.uidMember.map { OAuthUser.userInfo(at: url("userinfo"), uid: $0) } ?? .published
        guard server.metadata == nil else { return OAuthServer(issuerURL: ScriptedIssuer.issuerURL, user: user) }
        return OAuthServer(
            authorizationEndpoint: url("authorize"),
            tokenEndpoint: url("token"),
            deviceEndpoint: server.offersDeviceCodes ? url("device") : nil,
            revocationEndpoint: server.revokes ? url("revoke") : nil,
            registrationEndpoint: server.registration == nil ? nil : url("register"),
            user: user
        )
    }

    /// Creates an app as in another process.
    private func app(_ appID: String = "com.example.Mail") throws -> (auth: Auth, oauth2: OAuth2) {
        let oauth2 = world.oauth2(client)
        return (try world.app(.oauth2(oauth2), appID: appID), oauth2)
    }

    private func user() throws -> User { try #require(try app().auth.currentUser) }

    private var refreshes: Int { world.issuer.count(of: "/token refresh_token") }

    // MARK: The life

    func signIn() async throws {
        let (auth, oauth2) = try app()
        let user = try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user
        #expect(user.uid == server.uid && user.displayName == server.displayName)
        let page = try #require(world.issuer.script.withLock { $0.pages.last })
        #expect(page["code_challenge_method"] == "S256" && page["nonce"] == nil)
        #expect(page["scope"]?.replacing("+", with: " ") ?? "" == server.scopes.joined(separator: " "))
        let sent = world.issuer.script.withLock { $0.registrations.first?["scopes"] }
        #expect(sent == server.registration?["scopes"])
    }

    /// Two apps at an expiry refresh once, and never without one.
    func share() async throws {
        let (one, other) = (try user(), try user())
        let first = try await one.accessToken(forScopes: Set(server.scopes))
        #expect(try await other.accessToken(forScopes: []) == first && refreshes == 0)
        world.issuer.advance(by: server.lifetime.map(Double.init) ?? 40 * 365 * 86400)
        async let its = one.accessToken(forScopes: [])
        async let others = other.accessToken(forScopes: [])
        let tokens = try await [its, others]
        #expect(tokens[0] == tokens[1] && (tokens[0] == first) == (server.lifetime == nil))
        #expect(refreshes == (server.lifetime == nil ? 0 : 1))
        #expect(try user().refreshToken == one.refreshToken)
    }

    func reload() async throws {
        let user = try user()
        try await user.reload()
        #expect(user.uid == server.uid)
    }

    func signInByDevice() async throws {
        let (auth, oauth2) = try app()
        let signIn = DeviceSignIn(oauth2) { _ in }
        polls.withLock { $0 = ["authorization_pending", "slow_down", "authorization_pending"] }
        #expect(try await auth.signIn(with: signIn).user.uid == server.uid)
        for (word, code) in [
            ("access_denied", AuthErrorCode.webContextCancelled), ("expired_token", .timedOut),
            ("incorrect_device_code", .invalidCredential), ("device_flow_disabled", .operationNotAllowed),
        ] {
            polls.withLock { $0 = ["authorization_pending", word] }
            await expectFailure(code) { try await signIn.credential() }
        }
    }

    /// The user revokes the app's access in the settings of the server.
    func end() async throws {
        hasEnded.withLock { $0 = true }
        defer { hasEnded.withLock { $0 = false } }
        let (auth, _) = try app()
        let user = try #require(auth.currentUser)
        let code = server.saysEnd ? AuthErrorCode.userTokenExpired : .requiresRecentLogin
        if let lifetime = server.lifetime {
            world.issuer.advance(by: Double(lifetime))
            await expectFailure(code) { try await user.accessToken(forScopes: []) }
        } else {
            await expectFailure(code) { try await user.reload() }
        }
        #expect((auth.currentUser == nil) == server.saysEnd)
    }

    /// Another app of the group signs the user out.
    func signOut() async throws {
        let (auth, oauth2) = try app()
        try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings()))
        try await auth.migrateCurrentUser(toAccessGroup: Self.office)
        let peer = try app("com.example.Calendar")
        try peer.auth.useUserAccessGroup(Self.office)
        let token = try await peer.auth.currentUser?.accessToken(forScopes: [])
        try await peer.auth.signOut(timeout: .seconds(5))
        #expect(peer.oauth2.keptSession == (server.revokes ? nil : .notOffered))
        #expect(world.issuer.script.withLock { $0.revoked.contains(token ?? "") } == server.revokes)
        let again = try app()
        try again.auth.useUserAccessGroup(Self.office)
        #expect(again.auth.currentUser == nil)
    }
}
