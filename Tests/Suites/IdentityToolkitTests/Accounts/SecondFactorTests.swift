import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import FirebaseStandInServer
@testable import IdentityToolkit

struct SecondFactorTests {
    private let world = FirebaseFixture()

    /// Creates an account with a second factor and returns its uid.
    private func account() async throws -> String {
        let toolkit = world.toolkit()
        let uid = try await toolkit.createUser(withEmail: "ada@example.com", password: "secret", tenantID: nil).profile
            .uid
        world.firebase.change(uid) { $0.factors = [.phone("factor-1")] }
        world.firebase.forget()
        return uid
    }

    private func resolver(_ error: AuthError?) throws -> MultiFactorResolver {
        guard let resolver = error?.details?.secondFactor else { throw Missing() }
        return resolver
    }

    private struct Missing: Error {}

    private func assertion(_ code: String, factor: String = "factor-1") -> MultiFactorAssertion {
        TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factor, oneTimePassword: code)
    }

    @Test("With a locked store, Firebase is asked for nothing; a second factor stays unused")
    func locked() async throws {
        _ = try await account()
        let store = FaultInjectingStore()
        let auth = try world.app(on: store)
        _ = await auth.ready()
        let locked = RecordStoreError(.locked, "The store is locked.")
        store.fail(.read, times: 1, with: locked)
        await expectFailure(.keyringLocked) { try await auth.signIn(withEmail: "ada@example.com", password: "secret") }
        store.fail(.read, times: 1, with: locked)
        await expectFailure(.keyringLocked) { try await auth.signInAnonymously() }
        #expect(world.firebase.last("accounts:signInWithPassword") == nil)
        #expect(world.firebase.last("accounts:signUp") == nil)
        let error = await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        let resolver = try resolver(error)
        store.fail(.read, times: 1, with: locked)
        await expectFailure(.keyringLocked) { try await resolver.resolveSignIn(with: assertion("123456")) }
        #expect(world.firebase.last("mfaSignIn:finalize") == nil)
        try await resolver.resolveSignIn(with: assertion("123456"))
        #expect(auth.currentUser != nil)
    }

    @Test("A sign-in with a second factor completes with a code, also after a wrong one")
    func signIn() async throws {
        let uid = try await account()
        let auth = try world.app()
        let error = await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        let resolver = try resolver(error)
        #expect(resolver.hints.map(\.uid) == ["factor-1"] && resolver.hints.map(\.factorID) == ["totp"])
        #expect(resolver.hints.first?.displayName == "Phone")
        #expect(resolver.hints.first?.enrollmentDate == Date(timeIntervalSince1970: 1_767_323_045))
        #expect(auth.currentUser == nil)
        await expectFailure(.invalidVerificationCode) { try await resolver.resolveSignIn(with: assertion("000000")) }
        await expectFailure(.multiFactorInfoNotFound) {
            try await resolver.resolveSignIn(with: assertion("123456", factor: "other"))
        }
        #expect(auth.currentUser == nil)
        let result = try await resolver.resolveSignIn(with: assertion("123456"))
        #expect(result.user.uid == uid && auth.currentUser?.uid == uid)
        #expect(result.additionalUserInfo?.providerID == "password" && result.additionalUserInfo?.isNewUser == false)
        let sent = try #require(world.firebase.last("mfaSignIn:finalize"))
        let pending = try #require(world.firebase.lastAnswer("accounts:signInWithPassword"))
        #expect(sent.url == "https://identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize?key=KEY")
        #expect(
            sent.json
                == JSONValue(
                    json:
                        #"{"mfaPendingCredential": "\#(pending.string("mfaPendingCredential") ?? "")", "mfaEnrollmentId": "factor-1", "totpVerificationInfo": {"verificationCode": "123456"}}"#
                )
        )
        // The response has no token lifetime, but the token does.
        let token = try await result.user.getIDTokenResult(forcingRefresh: false)
        #expect(token.expirationDate == world.clock.now + 3600)
        #expect(token.signInProvider == "password" && token.signInSecondFactor == "totp")
        world.clock.advance(by: 3000)
        _ = try await result.user.getIDToken(forcingRefresh: false)
        #expect(world.firebase.last("token")?.text == "grant_type=refresh_token")
        world.clock.advance(by: 500)
        _ = try await result.user.getIDToken(forcingRefresh: false)
        #expect(world.firebase.last("token")?.text.contains("&refresh_token=") == true)
    }

    @Test("The code of a tenant's user is sent to that tenant")
    func tenant() async throws {
        let auth = try world.app()
        auth.tenantID = "tenant"
        let uid = try await auth.createUser(withEmail: "ada@example.com", password: "secret").user.uid
        world.firebase.change(uid) { $0.factors = [.phone("factor-1")] }
        let error = await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        let result = try await resolver(error).resolveSignIn(with: assertion("123456"))
        #expect(result.user.uid == uid && result.user.tenantID == "tenant")
        #expect(world.firebase.last("mfaSignIn:finalize")?.json?["tenantId"] == .string("tenant"))
    }

    @Test("Reauthentication also completes with a code, and only for the same user")
    func reauthentication() async throws {
        let uid = try await account()
        world.firebase.change(uid) { $0.factors = [] }
        let auth = try world.app()
        let user = try await auth.signIn(withEmail: "ada@example.com", password: "secret").user
        world.firebase.change(uid) { $0.factors = [.phone("factor-1")] }
        let before = try world.storedRefreshToken()
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret")
        let error = await expectFailure(.secondFactorRequired) { try await user.reauthenticate(with: credential) }
        let result = try await resolver(error).resolveSignIn(with: assertion("123456"))
        #expect(result.user === user)
        #expect(try world.storedRefreshToken() != before)

        let stranger = try await world.toolkit().createUser(
            withEmail: "eve@example.com",
            password: "secret",
            tenantID: nil
        )
        world.firebase.change(stranger.profile.uid) { $0.factors = [.phone("factor-2")] }
        let other = EmailAuthProvider.credential(withEmail: "eve@example.com", password: "secret")
        let second = await expectFailure(.secondFactorRequired) { try await user.reauthenticate(with: other) }
        await expectFailure(.userMismatch) {
            try await resolver(second).resolveSignIn(with: assertion("123456", factor: "factor-2"))
        }
        #expect(auth.currentUser?.uid == uid)
    }

    @Test("A printed resolver or assertion shows no secret")
    func printed() async throws {
        _ = try await account()
        let auth = try world.app()
        let error = await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        let resolver = try resolver(error)
        let text = "\(resolver) \(resolver.hints) \(assertion("123456")) \(String(describing: error))"
        var dumped = ""
        dump(resolver, to: &dumped)
        dump(assertion("123456"), to: &dumped)
        let answer = try #require(world.firebase.lastAnswer("accounts:signInWithPassword"))
        let pending = try #require(answer.string("mfaPendingCredential"))
        for secret in ["factor-1", "123456", pending, "Phone"] { #expect(!"\(text)\(dumped)".contains(secret)) }
    }
}
