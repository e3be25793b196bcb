import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// API keys that are not for this app.
struct KeyTests {
    private static func blocked(_ reason: String) -> HTTPResponse {
        .refusal("Blocked.", status: 403, #", "status": "PERMISSION_DENIED", "details": [{"reason": "\#(reason)"}]"#)
    }

    @Test("A key that cannot refresh is refused before any other request")
    func noRefresh() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        world.firebase.answer("token", Self.blocked("API_KEY_SERVICE_BLOCKED"))
        let error = await expectFailure(.appNotAuthorized) {
            try await auth.createUser(withEmail: "a@b.example", password: "secret")
        }
        #expect(error?.message.contains("Token Service API") == true)
        #expect(world.firebase.names == ["token"])
    }

    @Test("A valid key is checked once, by a request without a token")
    func once() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        try await auth.signIn(withCustomToken: "custom-eve")
        try await auth.signIn(withCustomToken: "custom-ada")
        #expect(world.firebase.names.filter { $0 == "token" }.count == 1)
        #expect(world.firebase.last("token")?.text == "grant_type=refresh_token")
    }

    @Test("A key check that fails for another reason allows the sign-in and is repeated")
    func otherFailures() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        for response in [HTTPResponse.page(502), .page(200), .refusal("", status: 429)] {
            world.firebase.answer("token", response)
            try await auth.signIn(withCustomToken: "custom-eve")
        }
        #expect(world.firebase.names.filter { $0 == "token" }.count == 3)
    }

    @Test(
        "A key for another kind of app is reported with its remedy",
        arguments: [
            ("API_KEY_IOS_APP_BLOCKED", "iOS apps"), ("API_KEY_ANDROID_APP_BLOCKED", "Android apps"),
            ("API_KEY_HTTP_REFERRER_BLOCKED", "web pages"), ("API_KEY_IP_ADDRESS_BLOCKED", "addresses"),
            ("API_KEY_SERVICE_BLOCKED", "Identity Toolkit API"), ("API_KEY_NEW_BLOCKED", "other uses"),
        ]
    )
    func restricted(_ reason: String, _ words: String) async throws {
        let world = FirebaseFixture()
        world.firebase.answer("accounts:signUp", Self.blocked(reason))
        let error = try #require(await expectFailure(.appNotAuthorized) { try await world.app().signInAnonymously() })
        #expect(error.message.contains(words))
        #expect(error.remedy?.contains("Google Cloud console") == true)
        #expect((error.underlying as? IdentityToolkitRefusal)?.reasons == [reason])
    }

    @Test("Without a key nothing is sent; unusual characters in a key are escaped")
    func odd() async throws {
        let world = FirebaseFixture()
        let none = IdentityToolkit(apiKey: "", settings: world.settings())
        await expectFailure(.invalidAPIKey) { try await none.signInAnonymously(tenantID: nil) }
        #expect(world.firebase.sent.isEmpty)
        let odd = IdentityToolkit(apiKey: "a b&c", settings: world.settings())
        _ = try await odd.signInAnonymously(tenantID: nil)
        #expect(world.firebase.sent.allSatisfy { $0.url.hasSuffix("?key=a%20b%26c") })
        #expect(odd.issuer == "https://identitytoolkit.googleapis.com/#a%20b%26c")
    }
}
