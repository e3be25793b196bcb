import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Address, headers and body of every request.
struct RequestTests {
    private let world = FirebaseFixture()
    private let tokens = UserTokens(idToken: "ID", refreshToken: "R+/=", expirationDate: .distantFuture)

    /// Expects the last request with this name to have exactly this body.
    private func expect(
        _ name: String,
        _ body: String,
        version: String = "v1",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let sent = try #require(world.firebase.last(name), sourceLocation: sourceLocation)
        let path = name.hasPrefix("accounts:") ? name : "accounts/\(name)"
        #expect(
            sent.url == "https://identitytoolkit.googleapis.com/\(version)/\(path)?key=KEY",
            sourceLocation: sourceLocation
        )
        #expect(sent.headers["Content-Type"] == "application/json", sourceLocation: sourceLocation)
        #expect(sent.json == JSONValue(json: body), sourceLocation: sourceLocation)
    }

    @Test("Sign-ins request tokens, and name the tenant if there is one")
    func signIns() async throws {
        let toolkit = world.toolkit()
        _ = try await toolkit.signInAnonymously(tenantID: nil)
        try expect("accounts:signUp", #"{"returnSecureToken": true}"#)
        _ = try await toolkit.signInAnonymously(tenantID: "t")
        try expect("accounts:signUp", #"{"returnSecureToken": true, "tenantId": "t"}"#)
        _ = try await toolkit.createUser(withEmail: "a@b.example", password: "secret", tenantID: nil)
        try expect(
            "accounts:signUp",
            #"{"email": "a@b.example", "password": "secret", "returnSecureToken": true}"#
        )
        _ = try await toolkit.signIn(
            with: EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret"),
            tenantID: nil
        )
        try expect(
            "accounts:signInWithPassword",
            #"{"email": "a@b.example", "password": "secret", "returnSecureToken": true}"#
        )
        let custom = AuthCredential(provider: "custom", content: .customToken("custom-eve"))
        let grant = try await toolkit.signIn(with: custom, tenantID: nil)
        try expect("accounts:signInWithCustomToken", #"{"token": "custom-eve", "returnSecureToken": true}"#)
        #expect(grant.profile.uid == "eve" && grant.isNewUser && !grant.profile.isAnonymous)
        try expect("accounts:lookup", #"{"idToken": "\#(grant.tokens.idToken ?? "")"}"#)
    }

    @Test("An e-mail link signs in with its code, even inside another link")
    func emailLink() async throws {
        let toolkit = world.toolkit()
        let settings = ActionCodeSettings(url: URL(string: "https://app.example/done?a=b"), handleCodeInApp: true)
        settings.linkDomain = "link.example"
        settings.iOSBundleID = "com.example.ios"
        settings.androidPackageName = "com.example.android"
        settings.androidInstallIfNotAvailable = true
        settings.androidMinimumVersion = "12"
        try await toolkit.sendSignInLink(to: "a@b.example", settings: settings, tenantID: nil)
        try expect(
            "accounts:sendOobCode",
            #"{"requestType": "EMAIL_SIGNIN", "email": "a@b.example", "continueUrl": "https://app.example/done?a=b", "canHandleCodeInApp": true, "linkDomain": "link.example", "iOSBundleId": "com.example.ios", "androidPackageName": "com.example.android", "androidInstallApp": true, "androidMinimumVersion": "12"}"#
        )
        let code = world.firebase.lastCode
        let inner = "https%3A%2F%2Fp.example%2Faction%3FapiKey%3DKEY%26mode%3DsignIn%26oobCode%3D\(code)"
        let credential = EmailAuthProvider.credential(
            withEmail: "a@b.example",
            link: "https://link.example/?link=\(inner)"
        )
        _ = try await toolkit.signIn(with: credential, tenantID: nil)
        try expect(
            "accounts:signInWithEmailLink",
            #"{"email": "a@b.example", "oobCode": "\#(code)", "returnSecureToken": true}"#
        )
    }

    @Test("Another service's credential is sent as a form with every value escaped")
    func otherServices() async throws {
        let toolkit = world.toolkit()
        func posted(_ credential: AuthCredential) async throws -> String {
            _ = try await toolkit.signIn(with: credential, tenantID: nil)
            let body = world.firebase.last("accounts:signInWithIdp")?.json
            #expect(body?["requestUri"] == .string("http://localhost"))
            #expect(body?["returnSecureToken"] == .bool(true) && body?["returnIdpCredential"] == .bool(true))
            #expect(body?["autoCreate"] == .bool(true))
            return body?["postBody"]?.string ?? ""
        }
        #expect(
            try await posted(
                OAuthProvider.credential(providerID: .custom("oidc.co"), idToken: "a+/=&b", rawNonce: "n é")
            )
                == "providerId=oidc.co&id_token=a%2B%2F%3D%26b&nonce=n%20%C3%A9"
        )
        #expect(
            try await posted(GoogleAuthProvider.credential(withIDToken: "i-ada", accessToken: "a"))
                == "providerId=google.com&id_token=i-ada&access_token=a"
        )
        #expect(
            try await posted(GitHubAuthProvider.credential(withToken: "g-ada"))
                == "providerId=github.com&access_token=g-ada"
        )
        #expect(
            try await posted(FacebookAuthProvider.credential(withAccessToken: "f-ada"))
                == "providerId=facebook.com&access_token=f-ada"
        )
        #expect(
            try await posted(TwitterAuthProvider.credential(withToken: "t-ada", secret: "s"))
                == "providerId=twitter.com&access_token=t-ada&oauth_token_secret=s"
        )
        #expect(
            try await posted(OAuthProvider.credential(providerID: .apple, accessToken: "x-ada"))
                == "providerId=apple.com&access_token=x-ada"
        )
    }

    @Test("Changes of an account contain only the changed values")
    func changes() async throws {
        let toolkit = world.toolkit()
        world.firebase.answer("accounts:update", .json("{}"))
        world.firebase.answer("accounts:lookup", .json(#"{"users": [{"localId": "u"}]}"#))
        let photo = URL(string: "https://a.example/p.png")
        _ = try await toolkit.updateProfile(
            UserProfileChange(displayName: .set("Ada"), photoURL: .init(photo)),
            for: tokens
        )
        try expect(
            "accounts:update",
            #"{"idToken": "ID", "displayName": "Ada", "photoUrl": "https://a.example/p.png", "returnSecureToken": true}"#
        )
        _ = try await toolkit.updateProfile(
            UserProfileChange(displayName: .clear, photoURL: .clear),
            for: tokens
        )
        try expect(
            "accounts:update",
            #"{"idToken": "ID", "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"], "returnSecureToken": true}"#
        )
        _ = try await toolkit.updateEmail(to: "n@b.example", for: tokens)
        try expect("accounts:update", #"{"idToken": "ID", "email": "n@b.example", "returnSecureToken": true}"#)
        _ = try await toolkit.updatePassword(to: "newer", for: tokens)
        try expect("accounts:update", #"{"idToken": "ID", "password": "newer", "returnSecureToken": true}"#)
        _ = try await toolkit.unlink(providerID: "google.com", from: tokens)
        try expect(
            "accounts:update",
            #"{"idToken": "ID", "deleteProvider": ["google.com"], "returnSecureToken": true}"#
        )
        world.firebase.answer("accounts:delete", HTTPResponse(status: 200))
        try await toolkit.deleteAccount(for: tokens)
        try expect("accounts:delete", #"{"idToken": "ID"}"#)
    }

    @Test("Mails and their codes are requested by kind")
    func mails() async throws {
        let toolkit = world.toolkit()
        world.firebase.answer("accounts:sendOobCode", .json(#"{"email": "a@b.example"}"#))
        try await toolkit.sendPasswordReset(to: "a@b.example", settings: nil, tenantID: "t")
        try expect(
            "accounts:sendOobCode",
            #"{"requestType": "PASSWORD_RESET", "email": "a@b.example", "tenantId": "t"}"#
        )
        try await toolkit.sendEmailVerification(for: tokens, settings: nil)
        try expect("accounts:sendOobCode", #"{"requestType": "VERIFY_EMAIL", "idToken": "ID"}"#)
        try await toolkit.sendEmailVerification(beforeUpdatingEmail: "n@b.example", for: tokens, settings: nil)
        try expect(
            "accounts:sendOobCode",
            #"{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": "ID", "newEmail": "n@b.example"}"#
        )
        world.firebase.answer(
            "accounts:resetPassword",
            .json(#"{"email": "a@b.example", "requestType": "PASSWORD_RESET"}"#)
        )
        #expect(try await toolkit.verifyPasswordResetCode("C", tenantID: nil) == "a@b.example")
        try expect("accounts:resetPassword", #"{"oobCode": "C"}"#)
        try await toolkit.confirmPasswordReset(withCode: "C", newPassword: "newer", tenantID: "t")
        try expect("accounts:resetPassword", #"{"oobCode": "C", "newPassword": "newer", "tenantId": "t"}"#)
        world.firebase.answer("accounts:update", .json("{}"))
        try await toolkit.applyActionCode("C", tenantID: nil)
        try expect("accounts:update", #"{"oobCode": "C"}"#)
    }

    @Test("A refresh is a form without a tenant; a returned refresh token replaces the old")
    func refresh() async throws {
        let toolkit = world.toolkit()
        let answers = [
            (#"{"id_token": "NEW", "refresh_token": "R2", "expires_in": "3600"}"#, "NEW", "R2"),
            (#"{"access_token": "NEW2", "expires_in": 1800}"#, "NEW2", "R+/="),
        ]
        for ((answer, idToken, refreshToken), life) in zip(answers, [3600.0, 1800]) {
            world.firebase.answer("token", .json(answer))
            let refreshed = try await toolkit.refresh(tokens, scopes: [])
            #expect(refreshed.idToken == idToken && refreshed.refreshToken == refreshToken)
            #expect(refreshed.expirationDate == world.clock.now + life)
        }
        let sent = try #require(world.firebase.last("token"))
        #expect(sent.url == "https://securetoken.googleapis.com/v1/token?key=KEY")
        #expect(sent.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(sent.text == "grant_type=refresh_token&refresh_token=R%2B%2F%3D")
    }

    @Test("A request names client, language and App Check token, but no iOS bundle")
    func headers() async throws {
        let toolkit = world.toolkit {
            $0.languageCode = "de"
            $0.appCheckToken = { () async throws(AuthError) in "APP-CHECK" }
        }
        _ = try await toolkit.signInAnonymously(tenantID: nil)
        let sent = try #require(world.firebase.last("accounts:signUp"))
        #expect(sent.headers["X-Firebase-Locale"] == "de" && sent.headers["X-Firebase-AppCheck"] == "APP-CHECK")
        #expect(sent.headers["X-Client-Version"] == "Linux/SharedAuth")
        #expect(world.firebase.last("token")?.headers["X-Firebase-AppCheck"] == "APP-CHECK")
        #expect(sent.headers["X-Ios-Bundle-Identifier"] == nil)
        let plain = world.toolkit()
        plain.languageCode = "fr-CA"
        _ = try await plain.signInAnonymously(tenantID: nil)
        let other = try #require(world.firebase.last("accounts:signUp"))
        #expect(other.headers["X-Firebase-Locale"] == "fr-CA" && other.headers["X-Firebase-AppCheck"] == nil)
    }

    @Test("A failure of App Check fails the call, and nothing is sent")
    func noAppCheck() async throws {
        let toolkit = world.toolkit {
            $0.appCheckToken = { () async throws(AuthError) in throw AuthError(.appNotVerified, "No attestation.") }
        }
        do throws(AuthError) {
            _ = try await toolkit.signInAnonymously(tenantID: nil)
            Issue.record("it succeeded")
        } catch {
            #expect(error.code == .appNotVerified)
        }
        #expect(world.firebase.names.isEmpty)
    }
}
