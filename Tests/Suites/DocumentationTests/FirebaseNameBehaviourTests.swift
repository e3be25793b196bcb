import Dispatch
import Foundation
import IdentityToolkit
import SharedAuth
import Testing

/// Tests the behaviour of Firebase's names.
struct FirebaseNameBehaviourTests {
    @Test("The constants are the strings that Firebase's servers use")
    func constants() {
        #expect(
            [
                EmailAuthProviderID, GoogleAuthProviderID, FacebookAuthProviderID, GitHubAuthProviderID,
                TwitterAuthProviderID, PhoneAuthProviderID, GameCenterAuthProviderID,
            ] == ["password", "google.com", "facebook.com", "github.com", "twitter.com", "phone", "gc.apple.com"]
        )
        #expect(
            [
                EmailPasswordAuthSignInMethod, EmailLinkAuthSignInMethod, GoogleAuthSignInMethod,
                FacebookAuthSignInMethod, GitHubAuthSignInMethod, TwitterAuthSignInMethod, PhoneAuthSignInMethod,
                GameCenterAuthSignInMethod,
            ] == [
                "password", "emailLink", "google.com", "facebook.com", "github.com", "twitter.com", "phone",
                "gc.apple.com",
            ]
        )
        #expect([TOTPMultiFactorID, PhoneMultiFactorID] == ["totp", "phone"])
        #expect(GoogleAuthProviderID == GoogleAuthProvider.id && TwitterAuthProviderID == TwitterAuthProvider.id)
        let ids: [AuthProviderID] = [
            .apple, .email, .facebook, .gameCenter, .gitHub, .google, .microsoft, .phone, .twitter, .yahoo,
            .custom("oidc.company"),
        ]
        #expect(
            ids.map(\.rawValue) == [
                "apple.com", "password", "facebook.com", "gc.apple.com", "github.com", "google.com", "microsoft.com",
                "phone", "twitter.com", "yahoo.com", "oidc.company",
            ]
        )
        #expect(AuthProviderID.custom("google.com") == .google)
    }

    @Test("A provider in a constant keeps changes, and every creation names the service")
    func providers() async throws {
        let auth = try auth()
        let made = [
            OAuthProvider(providerID: "github.com", auth: auth), OAuthProvider(providerID: .gitHub, auth: auth),
            OAuthProvider.provider(providerID: "github.com", auth: auth),
            OAuthProvider.provider(providerID: AuthProviderID.gitHub, auth: auth),
        ]
        #expect(made.allSatisfy { $0.providerID == "github.com" && $0.scopes.isEmpty && $0.customParameters.isEmpty })
        let provider = made[0]
        provider.scopes = ["read:user"]
        provider.customParameters["login"] = "ada"
        #expect(provider.scopes == ["read:user"] && provider.customParameters == ["login": "ada"])
        #expect(OAuthProvider.id == "OAuth")
        // If the identity provider has no browser sign-in, all forms throw.
        let code = await withCheckedContinuation { continuation in
            provider.getCredentialWith(nil) { credential, error in
                continuation.resume(returning: credential == nil ? error?.code : nil)
            }
        }
        #expect(code == .operationNotAllowed)
        await #expect(throws: AuthError.self) { try await provider.credential(with: nil) }
        await #expect(throws: AuthError.self) { try await auth.signIn(with: provider, uiDelegate: nil) }
    }

    @Test("A provider's credential is an OAuthCredential, which is an AuthCredential")
    func credentials() {
        let typed: OAuthCredential = OAuthProvider.credential(providerID: .google, idToken: "i", rawNonce: "n")
        let plain: AuthCredential = typed
        #expect(typed.idToken == "i" && typed.rawNonce == "n" && typed.providerID == "google.com")
        #expect(plain.provider == "google.com" && (plain as? OAuthCredential) === typed)
        guard case .oauth(let content) = plain.content else { Issue.record("no OAuth"); return }
        #expect(content === typed)
        #expect(EmailAuthProvider.credential(withEmail: "a@b.example", password: "p") as? OAuthCredential == nil)
        let google = GoogleAuthProvider.credential(withIDToken: "i", accessToken: "a")
        #expect((google as? OAuthCredential)?.accessToken?.token == "a")
    }

    @Test("The settings of an e-mail are an object with Firebase's setters")
    func settings() {
        let settings = ActionCodeSettings()
        settings.url = URL(string: "https://example.com")
        settings.handleCodeInApp = true
        settings.setIOSBundleID("com.example.mail")
        settings.setAndroidPackageName("com.example.android", installIfNotAvailable: true, minimumVersion: "12")
        #expect(settings.url?.host() == "example.com" && settings.handleCodeInApp)
        #expect(settings.iOSBundleID == "com.example.mail" && settings.androidPackageName == "com.example.android")
        #expect(settings.androidInstallIfNotAvailable && settings.androidMinimumVersion == "12")
        #expect(settings.linkDomain == nil)
    }

    @Test("Values that the server may omit are not optional, as in Firebase")
    func optionality() throws {
        #expect(ActionCodeInfo(operation: .emailLink, email: nil).email.isEmpty)
        let factor = MultiFactorInfo(uid: "f", factorID: TOTPMultiFactorID)
        #expect(factor.enrollmentDate == .distantPast)
        let text = try String(decoding: JSONEncoder().encode(factor), as: UTF8.self)
        #expect(!text.contains("nrollmentDate"))
        #expect(try JSONDecoder().decode(MultiFactorInfo.self, from: Data(text.utf8)) == factor)
        let dated = MultiFactorInfo(uid: "f", factorID: "totp", enrollmentDate: Date(timeIntervalSince1970: 1))
        let members = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(dated)) as? [String: Any]
        )
        #expect(Set(members.keys) == ["uid", "factorID", "enrollmentDate"])
    }

    @Test("A resolver has the call's Auth and a session that cannot create a factor")
    func resolver() async throws {
        let auth = try auth()
        let error = await #expect(throws: AuthError.self) {
            try await auth.signIn(withEmail: "a@b.example", password: "p")
        }
        let resolver = try #require(error?.details?.secondFactor)
        #expect(resolver.auth === auth)
        let refused = await #expect(throws: AuthError.self) {
            _ = try await TOTPMultiFactorGenerator.generateSecret(with: resolver.session)
        }
        #expect(refused?.code == .invalidMultiFactorSession)
        let code = await withCheckedContinuation { continuation in
            TOTPMultiFactorGenerator.generateSecret(with: resolver.session) { _, error in
                continuation.resume(returning: error?.code)
            }
        }
        #expect(code == .invalidMultiFactorSession)
        let assertion: TOTPMultiFactorAssertion = TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: "f",
            oneTimePassword: "123456"
        )
        let uid = await withCheckedContinuation { continuation in
            resolver.resolveSignIn(with: assertion) { result, _ in continuation.resume(returning: result?.user.uid) }
        }
        #expect(uid == "x" && auth.currentUser?.uid == "x")
        #expect(auth.currentUser?.anonymous() == false && auth.currentUser?.emailVerified() == true)
    }

    private func auth() throws -> Auth {
        let app = try AuthApp.configure(
            name: "names-\(UUID())",
            AuthApp.Options(
                appID: "com.example.Names",
                identityProvider: IdentityProviderFactory { _ in TwoFactors() },
                store: .inMemory(),
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "names")),
                stateDirectory: FileManager.default.temporaryDirectory.appending(path: "names-\(UUID())").path
            )
        )
        return Auth.auth(app: app)
    }
}

/// An identity provider that requires a second factor for each sign-in.
private struct TwoFactors: IdentityProvider {
    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        let resolver = MultiFactorResolver(hints: [MultiFactorInfo(uid: "f", factorID: TOTPMultiFactorID)]) {
            _ throws(AuthError) in
            IdentityGrant(
                profile: UserProfile(uid: "x", isEmailVerified: true),
                tokens: UserTokens(idToken: "i", refreshToken: "r", expirationDate: .distantFuture),
                isNewUser: false
            )
        }
        throw AuthError(.secondFactorRequired, "A second factor is needed.", details: .secondFactor(resolver))
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens { tokens }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile { UserProfile(uid: "x") }
}
