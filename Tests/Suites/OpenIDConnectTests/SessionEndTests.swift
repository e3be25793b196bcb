import Foundation
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect
@testable import SharedAuth

/// Tests what ends a session at an OpenID provider, what does not, and what that costs.
struct SessionEndTests {
    let world = IssuerFixture()

    private func signedIn() async throws -> (Auth, User) {
        let openID = world.openID()
        let auth = try world.app(openID)
        return (auth, try await auth.signIn(by: world.browser(openID)))
    }

    /// Makes the issuer refuse refreshes: all of them, or those with a scope, or those without one.
    private func refuse(_ word: String, detail: String? = nil, status: Int = 400, withScope: Bool? = nil) {
        world.issuer.change {
            $0.respond = { question, form in
                guard question == "/token refresh_token", withScope.map({ $0 == (form["scope"] != nil) }) ?? true else {
                    return nil
                }
                var members: [String: JSONValue] = ["error": .string(word)]
                if let detail { members["suberror"] = .string(detail) }
                return .json(members, status: status)
            }
        }
    }

    private func stopRefusing() { world.issuer.change { $0.respond = { _, _ in nil } } }

    private var refreshes: Int { world.issuer.count(of: "/token refresh_token") }

    @Test(
        "A refused scope ends no session, and one refresh without scopes confirms it",
        arguments: [
            ("invalid_grant", nil, 2), ("invalid_grant", "consent_required", 1), ("invalid_request", nil, 1),
            ("invalid_scope", nil, 1), ("interaction_required", nil, 1), ("a_new_word", nil, 1),
        ]
    )
    func refusedScope(_ word: String, _ detail: String?, _ requests: Int) async throws {
        let (auth, user) = try await signedIn()
        refuse(word, detail: detail, withScope: true)
        for _ in 1...5 {
            do {
                _ = try await user.accessToken(forScopes: ["mail.read"])
                Issue.record("It was to fail.")
            } catch {
                #expect([.operationNotAllowed, .requiresRecentLogin].contains(error.code))
                #expect(error.message.contains(word), "\(error)")
            }
        }
        #expect(refreshes == requests)
        #expect(auth.currentUser === user && user.sessionFailure == nil)
        // The tokens of the confirming refresh are stored, so that another process can go on with them.
        let other = try #require(try world.app(world.openID()).currentUser)
        #expect(other.refreshToken == user.refreshToken)
        #expect(try await other.accessToken(forcingRefresh: true).isEmpty == false)
        stopRefusing()
        world.issuer.advance(by: 61)
        #expect(try await other.accessToken(forScopes: ["mail.read"]).isEmpty == false)
    }

    @Test("If a refresh without scopes gets the same, the session has ended")
    func confirmedEnd() async throws {
        let (auth, user) = try await signedIn()
        refuse("invalid_grant")
        await expectFailure(.userTokenExpired) { try await user.accessToken(forScopes: ["mail.read"]) }
        #expect(refreshes == 2 && auth.currentUser == nil)
        #expect(try world.storedBytes().isEmpty)
    }

    @Test("A confirmation that cannot be made ends nothing")
    func unconfirmed() async throws {
        let (auth, user) = try await signedIn()
        world.issuer.change {
            $0.respond = { question, form in
                guard question == "/token refresh_token" else { return nil }
                return form["scope"] != nil ? .refusal("invalid_grant") : HTTPResponse(status: 503)
            }
        }
        await expectFailure(.networkError) { try await user.accessToken(forScopes: ["mail.read"]) }
        #expect(auth.currentUser === user)
    }

    @Test(
        "A refusal that does not pass is told as sign in again after the tokens' expiry",
        arguments: [
            ("invalid_request", nil), ("invalid_grant", "interaction_required"), ("a_new_word", nil),
            ("invalid_scope", nil), ("access_denied", nil), ("bad_refresh_token", nil),
        ]
    )
    func deadSession(_ word: String, _ detail: String?) async throws {
        let (auth, user) = try await signedIn()
        let heard = Heard(auth)
        await heard.expect(false)
        let idToken = try await user.getIDToken()
        refuse(word, detail: detail)
        world.issuer.advance(by: 3400)
        #expect(try await user.getIDToken() == idToken, "It lasts for more than three minutes.")
        #expect(user.sessionFailure == nil)
        world.issuer.advance(by: 201)
        let asked = refreshes
        for _ in 1...5 {
            let error = await expectFailure(.requiresRecentLogin) { try await user.getIDToken() }
            #expect(error?.message.contains(word) == true && error?.remedy == "Sign in again.")
            await expectFailure(.requiresRecentLogin) { try await user.accessToken() }
            await expectFailure(.requiresRecentLogin) { try await user.accessToken(forScopes: ["mail.read"]) }
            await expectFailure(.requiresRecentLogin) { try await user.getIDToken(forcingRefresh: true) }
        }
        #expect(refreshes == asked + 1)
        // Another process is told the same, without a request.
        let other = try world.app(world.openID())
        let theirs = try #require(other.currentUser)
        #expect(theirs.uid == "ada" && theirs.sessionFailure?.code == .requiresRecentLogin)
        await expectFailure(.requiresRecentLogin) { try await theirs.getIDToken() }
        #expect(refreshes == asked + 1)
        #expect(auth.currentUser === user && user.sessionFailure?.message.contains(word) == true)
        await heard.expect(true)
        // After a minute, one of them asks again; what has recovered works.
        stopRefusing()
        world.issuer.advance(by: 60)
        #expect(try await user.getIDToken() != idToken)
        #expect(user.sessionFailure == nil && auth.currentUser === user)
        await heard.expect(false)
    }

    @Test("A response without tokens that comes once does not tell anybody to sign in again")
    func emptyResponse() async throws {
        let (auth, user) = try await signedIn()
        world.issuer.change { $0.answers["/token"] = .success(.json(["status": .string("maintenance")])) }
        world.issuer.advance(by: 7300)
        await expectFailure(.webInternalError) { try await user.getIDToken() }
        #expect(user.sessionFailure == nil && auth.currentUser === user)
        world.issuer.change { $0.answers["/token"] = nil }
        world.issuer.advance(by: 60)
        _ = try await user.getIDToken()
    }

    @Test("A refused client is named, and told as sign in again after the tokens' expiry")
    func refusedClient() async throws {
        let (_, user) = try await signedIn()
        refuse("invalid_client", status: 401)
        world.issuer.advance(by: 3601)
        await expectFailure(.invalidClientID) { try await user.getIDToken() }
        let failure = try #require(user.sessionFailure)
        #expect(failure.code == .requiresRecentLogin && failure.message.contains("invalid_client"))
        #expect(failure.remedy?.contains("client secret") == true)
    }

    @Test("What passes leaves no trace, and is asked again at once")
    func passing() async throws {
        let (_, user) = try await signedIn()
        let before = try world.storedBytes()
        for (word, status) in [("server_error", 400), ("temporarily_unavailable", 503), ("invalid_grant", 500)] {
            refuse(word, status: status)
            await expectFailure(.webInternalError) { try await user.getIDToken(forcingRefresh: true) }
        }
        #expect(try world.storedBytes() == before && refreshes == 3)
        stopRefusing()
        _ = try await user.getIDToken(forcingRefresh: true)
    }

    @Test("A sign-in after the end of a session begins a new one without its refusals")
    func newSession() async throws {
        let (auth, user) = try await signedIn()
        refuse("invalid_request")
        world.issuer.advance(by: 3601)
        await expectFailure(.requiresRecentLogin) { try await user.getIDToken() }
        stopRefusing()
        let again = try await auth.signIn(by: world.browser(world.openID()))
        #expect(again.sessionFailure == nil)
        _ = try await again.getIDToken(forcingRefresh: true)
    }
}

/// What a state listener hears: whether the user must sign in again.
private final class Heard: Sendable {
    private let states: AsyncStream<Bool>
    private let handle: AuthStateDidChangeListenerHandle
    private let auth: Auth

    init(_ auth: Auth) {
        let (states, continuation) = AsyncStream<Bool>.makeStream()
        let listener: @Sendable (Auth, User?) -> Void = { _, user in
            if let user { continuation.yield(user.sessionFailure != nil) }
        }
        handle = auth.addStateDidChangeListener(listener)
        (self.states, self.auth) = (states, auth)
    }

    deinit { auth.removeStateDidChangeListener(handle) }

    /// Waits for the next state.
    func expect(_ expected: Bool) async {
        #expect(await states.first { _ in true } == expected)
    }
}
