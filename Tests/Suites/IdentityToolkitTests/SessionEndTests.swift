import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Tests which errors end a session.
struct SessionEndTests {
    static let ends = ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_ID_TOKEN"]
    static let stays = [
        "PROJECT_NUMBER_MISMATCH", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "OPERATION_NOT_ALLOWED", "QUOTA_EXCEEDED",
        "SOMETHING_NEW", "INVALID_LOGIN_CREDENTIALS", "ADMIN_ONLY_OPERATION",
    ]

    /// A call with the user's tokens; the raw value is the name of its request.
    enum Call: String, CaseIterable, Sendable {
        case refresh = "token"
        case reload = "accounts:lookup"
        case update = "accounts:update"
        case link = "accounts:signInWithIdp"
        case verification = "accounts:sendOobCode"

        func make(_ user: User) async throws(AuthError) {
            switch self {
            case .refresh: _ = try await user.getIDToken(forcingRefresh: true)
            case .reload: try await user.reload()
            case .update: try await user.updatePassword(to: "newer password")
            case .link: try await user.link(with: GitHubAuthProvider.credential(withToken: "g-ada"))
            case .verification: try await user.sendEmailVerification()
            }
        }
    }

    @Test("These error words end the session in every app of the slot", arguments: Call.allCases, ends)
    func end(_ call: Call, _ word: String) async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        world.firebase.refuse(call.rawValue, word)
        await #expect(throws: AuthError.self) { try await call.make(user) }
        #expect(auth.currentUser == nil)
        #expect(try world.storedRefreshToken() == nil)
    }

    @Test("All other error words keep the session", arguments: Call.allCases, stays)
    func stay(_ call: Call, _ word: String) async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        world.firebase.refuse(call.rawValue, word)
        await #expect(throws: AuthError.self) { try await call.make(user) }
        #expect(auth.currentUser?.uid == user.uid)
        #expect(try world.storedRefreshToken() != nil)
    }

    @Test(
        "Errors about the key, the network or too many requests keep the session",
        arguments: Call.allCases,
        [
            HTTPResponse.refusal("Blocked.", status: 403, #", "details": [{"reason": "API_KEY_SERVICE_BLOCKED"}]"#),
            .refusal("API key not valid.", status: 400, #", "details": [{"reason": "API_KEY_INVALID"}]"#),
            .page(200), .page(502), .page(401), .refusal("", status: 503), .refusal("", status: 429),
            HTTPResponse(status: 429), .json("{}", status: 404), .json(#"{"idToken": "#),
        ]
    )
    func others(_ call: Call, _ response: HTTPResponse) async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        world.firebase.answer(call.rawValue, response)
        await #expect(throws: AuthError.self) { try await call.make(user) }
        #expect(auth.currentUser?.uid == user.uid)
    }

    @Test("A refused refresh token ends the session")
    func refreshToken() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        world.firebase.refuse("token", "INVALID_REFRESH_TOKEN")
        await expectFailure(.invalidUserToken) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser == nil)
    }

    @Test("A key of another project is reported as such and signs no user out")
    func otherProject() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        world.firebase.refuse("token", "PROJECT_NUMBER_MISMATCH")
        await expectFailure(.invalidAPIKey) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser?.uid == user.uid)
    }

    @Test(
        "A failed sign-in or reauthentication does not affect the current user",
        arguments: ends + ["EMAIL_NOT_FOUND"]
    )
    func signIn(_ word: String) async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let before = try world.storedRefreshToken()
        world.firebase.refuse("accounts:signInWithPassword", word)
        await #expect(throws: AuthError.self) { try await auth.signIn(withEmail: "x@b.example", password: "secret") }
        let credential = EmailAuthProvider.credential(withEmail: "x@b.example", password: "secret")
        await #expect(throws: AuthError.self) { try await user.reauthenticate(with: credential) }
        world.firebase.refuse("accounts:sendOobCode", word)
        await #expect(throws: AuthError.self) { try await auth.sendPasswordReset(withEmail: "x@b.example") }
        await #expect(throws: AuthError.self) {
            try await user.sendEmailVerification(beforeUpdatingEmail: "x@b.example")
        }
        #expect(auth.currentUser?.uid == user.uid)
        #expect(try world.storedRefreshToken() == before)
    }

    @Test("A session ended by another app's new password adopts that app's newer tokens")
    func elsewhere() async throws {
        let world = FirebaseFixture()
        let (_, user) = try await world.signedIn()
        let other = try #require(try world.app().currentUser)
        try await user.updatePassword(to: "newer password")
        // The other app still has the earlier tokens, which Firebase no longer accepts.
        #expect(try await other.getIDToken(forcingRefresh: true) != "")
        #expect(try world.storedRefreshToken() != nil)
    }
}
