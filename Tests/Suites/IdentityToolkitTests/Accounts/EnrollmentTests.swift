import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import FirebaseStandInServer
@testable import IdentityToolkit

/// Enrollment and removal of second factors.
struct EnrollmentTests {
    private let world = FirebaseFixture()

    /// Returns an app with a user whose address is verified, as second factors require.
    private func signedIn() async throws -> (auth: Auth, user: User) {
        let (auth, user) = try await world.signedIn()
        world.firebase.change(user.uid) { $0.isEmailVerified = true }
        return (auth, user)
    }

    /// Enrolls a factor and returns its code.
    @discardableResult
    private func enroll(_ user: User, _ wrongCode: String? = nil) async throws -> String {
        // The stand-in accepts one factor per account, so the earlier ones are put back afterwards.
        let before = Mutex<[EnrolledFactor]>([])
        world.firebase.change(user.uid) { account in
            before.withLock { $0 = account.factors }
            account.factors = []
        }
        defer {
            world.firebase.change(user.uid) { account in account.factors = before.withLock { $0 } + account.factors }
        }
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
        let code = wrongCode ?? world.firebase.oneTimePassword(secret.sharedSecretKey())
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
        try await user.multiFactor.enroll(with: assertion, displayName: "Phone")
        return code
    }

    @Test("A factor is enrolled with a secret and a code, and the session gets new tokens")
    func enrollment() async throws {
        let (auth, user) = try await signedIn()
        #expect(user.multiFactor.enrolledFactors.isEmpty)
        let (idToken, before) = (try await user.getIDToken(), user.refreshToken)
        let code = try await enroll(user)
        let start = try #require(world.firebase.last("mfaEnrollment:start"))
        #expect(start.url == "https://identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start?key=KEY")
        #expect(start.json == JSONValue(json: #"{"idToken": "\#(idToken)", "totpEnrollmentInfo": {}}"#))
        let finish = try #require(world.firebase.last("mfaEnrollment:finalize"))
        let info = JSONObject(world.firebase.lastAnswer("mfaEnrollment:start")?.members["totpSessionInfo"])
        let session = try #require(info?.string("sessionInfo"))
        #expect(finish.url == "https://identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize?key=KEY")
        #expect(
            finish.json
                == JSONValue(
                    json:
                        #"{"idToken": "\#(idToken)", "displayName": "Phone", "totpVerificationInfo": {"sessionInfo": "\#(session)", "verificationCode": "\#(code)"}}"#
                )
        )
        #expect(user.multiFactor.enrolledFactors.map(\.factorID) == ["totp"])
        #expect(user.multiFactor.enrolledFactors.map(\.displayName) == ["Phone"])
        #expect(user.refreshToken != before && auth.currentUser === user)
        #expect(try world.storedRefreshToken() == user.refreshToken)
        // Another app of the slot also sees the factor.
        #expect(try world.app().currentUser?.multiFactor.enrolledFactors == user.multiFactor.enrolledFactors)
        // Another sign-in needs the factor.
        await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
    }

    @Test("New tokens are stored without a look-up, and known factors stay")
    func lookupFails() async throws {
        let (_, user) = try await signedIn()
        try await enroll(user)
        let (before, factors) = (user.refreshToken, user.multiFactor.enrolledFactors)
        world.firebase.answer("accounts:lookup", .page(502))
        try await enroll(user)
        #expect(user.refreshToken != before)
        #expect(try world.storedRefreshToken() == user.refreshToken)
        #expect(user.multiFactor.enrolledFactors == factors && factors.count == 1)
        world.firebase.answer("accounts:lookup", nil)
        try await user.reload()
        #expect(user.multiFactor.enrolledFactors.count == 2)
    }

    @Test("New tokens are stored even if the account's look-up is malformed")
    func malformedLookup() async throws {
        let (_, user) = try await signedIn()
        let before = user.refreshToken
        world.firebase.answer("accounts:lookup", .json("{}"))
        try await enroll(user)
        #expect(user.refreshToken != before)
        #expect(try world.storedRefreshToken() == user.refreshToken)
        world.firebase.answer("accounts:lookup", nil)
        _ = try await user.getIDToken(forcingRefresh: true)
    }

    @Test("Completion handlers have the same results")
    func completionHandlers() async throws {
        let (_, user) = try await signedIn()
        let multiFactor = user.multiFactor
        let secret = await withCheckedContinuation { continuation in
            multiFactor.getSessionWithCompletion { session, _ in
                guard let session else { return continuation.resume(returning: TOTPSecret?.none) }
                TOTPMultiFactorGenerator.generateSecret(with: session) { secret, _ in
                    continuation.resume(returning: secret)
                }
            }
        }
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: try #require(secret),
            oneTimePassword: world.firebase.oneTimePassword(secret?.sharedSecretKey() ?? "")
        )
        let enrolled = await withCheckedContinuation { continuation in
            multiFactor.enroll(with: assertion, displayName: nil) { continuation.resume(returning: $0) }
        }
        #expect(enrolled == nil && multiFactor.enrolledFactors.count == 1)
        let factor = try #require(multiFactor.enrolledFactors.first)
        let removed = await withCheckedContinuation { continuation in
            multiFactor.unenroll(with: factor) { continuation.resume(returning: $0) }
        }
        #expect(removed == nil && multiFactor.enrolledFactors.isEmpty)
        let missing = await withCheckedContinuation { continuation in
            multiFactor.unenroll(withFactorUID: "none") { continuation.resume(returning: $0?.code) }
        }
        #expect(missing == .multiFactorInfoNotFound)
    }

    @Test("A wrong code enrolls nothing and keeps the session")
    func wrongCode() async throws {
        let (_, user) = try await signedIn()
        let before = user.refreshToken
        await expectFailure(.invalidVerificationCode) { try await enroll(user, "000000") }
        #expect(user.multiFactor.enrolledFactors.isEmpty && user.refreshToken == before)
    }

    @Test("Enrollment without a recent sign-in or verified address keeps the session")
    func recentLogin() async throws {
        let (auth, user) = try await signedIn()
        world.firebase.refuse("mfaEnrollment:start", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        await expectFailure(.requiresRecentLogin) { try await enroll(user) }
        #expect(auth.currentUser === user)
        world.firebase.refuse("mfaEnrollment:start", "UNVERIFIED_EMAIL")
        await expectFailure(.unverifiedEmail) { try await enroll(user) }
    }

    @Test("Enrollment in an ended session reports that and signs the user out")
    func ended() async throws {
        let (auth, user) = try await signedIn()
        world.firebase.refuse("mfaEnrollment:start", "TOKEN_EXPIRED")
        await expectFailure(.userTokenExpired) { try await enroll(user) }
        #expect(auth.currentUser == nil)
    }

    @Test("A factor is removed by ID or as a value; sign-ins then need no code")
    func removal() async throws {
        let (auth, user) = try await signedIn()
        try await enroll(user)
        try await enroll(user)
        try await user.reload()
        let factors = user.multiFactor.enrolledFactors
        try #require(factors.count == 2)
        let idToken = try await user.getIDToken()
        await expectFailure(.multiFactorInfoNotFound) { try await user.multiFactor.unenroll(withFactorUID: "other") }
        try await user.multiFactor.unenroll(withFactorUID: factors[0].uid)
        #expect(
            world.firebase.last("mfaEnrollment:withdraw")?.json
                == JSONValue(json: #"{"idToken": "\#(idToken)", "mfaEnrollmentId": "\#(factors[0].uid)"}"#)
        )
        #expect(user.multiFactor.enrolledFactors == [factors[1]])
        try await user.multiFactor.unenroll(with: factors[1])
        #expect(user.multiFactor.enrolledFactors.isEmpty)
        #expect(try world.app().currentUser?.multiFactor.enrolledFactors == [])
        try await auth.signIn(withEmail: "ada@example.com", password: "secret")
    }

    @Test("After a removal without tokens, the next look-up keeps or ends the session")
    func removalWithoutTokens() async throws {
        let (auth, user) = try await signedIn()
        try await enroll(user)
        let before = user.refreshToken
        world.firebase.answer("mfaEnrollment:withdraw", .json("{}"))
        world.firebase.change(user.uid) { $0.factors = [] }
        try await user.multiFactor.unenroll(withFactorUID: "any")
        #expect(user.refreshToken == before && user.multiFactor.enrolledFactors.isEmpty)
        world.firebase.endSessions(of: user.uid)
        await expectFailure(.userTokenExpired) { try await user.multiFactor.unenroll(withFactorUID: "any") }
        #expect(auth.currentUser == nil)
    }

    @Test("A removal with a failed look-up has an unknown outcome, and the session stays")
    func removalWithoutLookup() async throws {
        let (auth, user) = try await signedIn()
        try await enroll(user)
        world.firebase.answer("mfaEnrollment:withdraw", .json("{}"))
        world.firebase.change(user.uid) { $0.factors = [] }
        world.firebase.answer("accounts:lookup", .page(502))
        let error = await expectFailure(.outcomeUnknown) { try await user.multiFactor.unenroll(withFactorUID: "any") }
        #expect((error?.underlying as? AuthError)?.code == .networkError)
        world.firebase.answer("accounts:lookup", nil)
        try await user.reload()
        #expect(user.multiFactor.enrolledFactors.isEmpty && auth.currentUser === user)
    }

    @Test("An assertion for the other purpose is refused before anything is sent")
    func mixedUp() async throws {
        let (auth, user) = try await signedIn()
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
        let forSignIn = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "f", oneTimePassword: "123456")
        await expectFailure(.missingMultiFactorInfo) {
            try await user.multiFactor.enroll(with: forSignIn, displayName: nil)
        }
        #expect(!world.firebase.names.contains("mfaEnrollment:finalize"))
        try await enroll(user)
        let error = await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        guard let resolver = error?.details?.secondFactor else { return }
        let forEnrollment = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "123456")
        await expectFailure(.missingMultiFactorInfo) { try await resolver.resolveSignIn(with: forEnrollment) }
        #expect(!world.firebase.names.contains("mfaSignIn:finalize"))
    }

    @Test("A secret has the URL that authenticator apps read; printed, it shows nothing")
    func secret() async throws {
        let (_, user) = try await signedIn()
        world.firebase.answer(
            "mfaEnrollment:start",
            .json(
                #"{"totpSessionInfo": {"sharedSecretKey": "SECRETKEY", "verificationCodeLength": 6, "hashingAlgorithm": "SHA1", "periodSec": 30, "sessionInfo": "enrolling", "finalizeEnrollmentTime": "2026-01-02T03:04:05.678Z"}}"#
            )
        )
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
        #expect(secret.sharedSecretKey() == "SECRETKEY")
        #expect(secret.enrollmentCompletionDeadline?.timeIntervalSince1970 == 1_767_323_045.678)
        #expect(
            secret.generateQRCodeURL(withAccountName: "ada@example.com", issuer: "Mail & Co: ü")
                == "otpauth://totp/Mail%20%26%20Co%3A%20%C3%BC:ada%40example.com?secret=SECRETKEY&issuer=Mail%20%26%20Co%3A%20%C3%BC"
                + "&algorithm=SHA1&digits=6&period=30"
        )
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", dumped, "\(String(reflecting: secret))"] {
            #expect(!text.contains("SECRETKEY") && !text.contains("enrolling"))
        }
    }

    @Test("An identity provider without second factors throws operationNotAllowed")
    func otherProvider() async throws {
        let server = ScriptedServer()
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            identityProvider: server.source,
            store: .inMemory(),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false
        )
        let app = try AuthApp(unregistered: options)
        server.answer(.server("x", .server("x", "1")))
        let credential = EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret")
        let user = try await Auth.auth(app: app).signIn(with: credential).user
        await expectFailure(.operationNotAllowed) {
            try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
        }
        await expectFailure(.operationNotAllowed) { try await user.multiFactor.unenroll(withFactorUID: "f") }
    }
}
