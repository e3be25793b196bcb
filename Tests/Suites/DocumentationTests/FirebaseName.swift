/// A row of the list of Firebase's names: code that uses them, and the compiler's message if they are not supported.
struct FirebaseName {
    /// The names, as in the tables of "Coming from Firebase".
    let names: [String]
    /// Code that uses the names, in an async function with an `auth`, a `user`, and, if it is rejected, a credential
    /// `any`.
    let code: String
    /// A part of the compiler's message; nil if the code compiles.
    var refusal: String?

    private init(_ names: String..., code: String, refusal: String? = nil) {
        self.names = names
        self.code = code
        self.refusal = refusal
    }

    /// All rows: first the names that compile, then those that the compiler rejects.
    static let all = there + refused

    private static let there = [
        FirebaseName(
            "Auth.shareAuthStateAcrossDevices",
            code: """
                auth.shareAuthStateAcrossDevices = true
                let isShared: Bool = auth.shareAuthStateAcrossDevices
                print(isShared)
                """
        ),
        FirebaseName(
            "resolveSignIn(with:completion:)",
            code: """
                let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "f", oneTimePassword: "1")
                func resolve(_ resolver: MultiFactorResolver) {
                    resolver.resolveSignIn(with: assertion) { result, error in print(result as Any, error as Any) }
                    resolver.resolveSignIn(with: assertion, completion: nil)
                }
                """
        ),
        FirebaseName(
            "MultiFactorResolver.session",
            "`.auth`",
            code: """
                func show(_ resolver: MultiFactorResolver) {
                    let session: MultiFactorSession = resolver.session
                    let auth: Auth = resolver.auth
                    print(session, auth)
                }
                """
        ),
        FirebaseName(
            "OAuthProvider(providerID:)",
            "OAuthProvider(providerID:auth:)",
            "OAuthProvider.provider(providerID:)",
            "provider(providerID:auth:)",
            "OAuthProvider.id",
            code: """
                let providers: [OAuthProvider] = [
                    OAuthProvider(providerID: .gitHub), OAuthProvider(providerID: .gitHub, auth: auth),
                    OAuthProvider(providerID: "github.com"), OAuthProvider(providerID: "github.com", auth: auth),
                    .provider(providerID: "github.com"), .provider(providerID: "github.com", auth: auth),
                    .provider(providerID: AuthProviderID.google), .provider(providerID: AuthProviderID.apple, auth: auth),
                ]
                print(providers.count, OAuthProvider.id)
                """
        ),
        FirebaseName(
            "getCredentialWith(_:completion:)",
            "credential(with:)",
            "signIn(with:uiDelegate:)",
            "link(with:uiDelegate:)",
            "reauthenticate(with:uiDelegate:)",
            "AuthUIDelegate",
            code: """
                let delegate: (any AuthUIDelegate)? = nil
                let provider = OAuthProvider(providerID: "github.com")
                provider.getCredentialWith(nil) { credential, error in print(credential as Any, error as Any) }
                let credential: AuthCredential = try await provider.credential(with: delegate)
                try await auth.signIn(with: provider, uiDelegate: nil)
                auth.signIn(with: provider, uiDelegate: delegate) { result, error in print(error as Any) }
                try await user.link(with: provider, uiDelegate: nil)
                user.link(with: provider, uiDelegate: nil) { result, error in print(error as Any) }
                try await user.reauthenticate(with: provider, uiDelegate: nil)
                user.reauthenticate(with: provider, uiDelegate: nil) { result, error in print(error as Any) }
                print(credential)
                """
        ),
        FirebaseName(
            "OAuthProvider.credential(…)",
            code: """
                let credential: OAuthCredential = OAuthProvider.credential(providerID: .google, accessToken: "a")
                let other = OAuthProvider.credential(providerID: .apple, idToken: "i", rawNonce: "n", accessToken: nil)
                try await auth.signIn(with: credential)
                print(other.idToken as Any, (credential as AuthCredential) as? OAuthCredential as Any)
                """
        ),
        FirebaseName(
            "AuthProviderID.phone",
            "AuthProviderID.gameCenter",
            code: "print(AuthProviderID.phone.rawValue, AuthProviderID.gameCenter == .custom(\"gc.apple.com\"))"
        ),
        FirebaseName(
            "AuthStateDidChangeListenerHandle",
            "IDTokenDidChangeListenerHandle",
            code: """
                var handle: AuthStateDidChangeListenerHandle?
                handle = auth.addStateDidChangeListener { auth, user in }
                if let handle { auth.removeStateDidChangeListener(handle) }
                let other: IDTokenDidChangeListenerHandle = auth.addIDTokenDidChangeListener { _, _ in }
                auth.removeIDTokenDidChangeListener(other)
                """
        ),
        FirebaseName(
            "Auth.AuthStateChangesSequence",
            "Auth.IDTokenChangesSequence",
            code: """
                let users: Auth.AuthStateChangesSequence = auth.authStateChanges
                let tokens: Auth.IDTokenChangesSequence = auth.idTokenChanges
                for await user in users { print(user?.uid as Any, tokens); break }
                """
        ),
        FirebaseName(
            "ActionCodeInfo.email",
            "MultiFactorInfo.enrollmentDate",
            "AdditionalUserInfo.providerID",
            code: """
                let email: String = try await auth.checkActionCode("code").email
                let date: Date? = user.multiFactor.enrolledFactors.first?.enrollmentDate
                let info = try await auth.signInAnonymously().additionalUserInfo
                let id: String? = info?.providerID
                let known: [Date] = user.multiFactor.enrolledFactors.map(\\.enrollmentDate)
                print(email, date as Any, id as Any, known)
                """
        ),
        FirebaseName(
            "getIDToken(completion:)",
            "getIDTokenForcingRefresh(_:completion:)",
            code: """
                user.getIDToken(completion: nil)
                user.getIDTokenForcingRefresh(true, completion: nil)
                user.getIDTokenResult(completion: nil)
                user.reload(completion: nil)
                user.delete(completion: nil)
                auth.signIn(withEmail: "a@b.example", password: "p", completion: nil)
                auth.signInAnonymously(completion: nil)
                auth.updateCurrentUser(user, completion: nil)
                auth.applyActionCode("code", completion: nil)
                auth.fetchSignInMethods(forEmail: "a@b.example", completion: nil)
                user.createProfileChangeRequest().commitChanges(completion: nil)
                user.multiFactor.unenroll(withFactorUID: "f", completion: nil)
                """
        ),
        FirebaseName(
            "ActionCodeSettings.setIOSBundleID(_:)",
            "setAndroidPackageName(_:installIfNotAvailable:minimumVersion:)",
            code: """
                let settings = ActionCodeSettings()
                settings.setIOSBundleID("com.example.mail")
                settings.setAndroidPackageName("com.example.mail", installIfNotAvailable: true, minimumVersion: nil)
                """
        ),
        FirebaseName(
            "EmailAuthProviderID",
            "GoogleAuthProviderID",
            "FacebookAuthProviderID",
            "GitHubAuthProviderID",
            "TwitterAuthProviderID",
            "PhoneAuthProviderID",
            "GameCenterAuthProviderID",
            code: """
                let ids: [String] = [
                    EmailAuthProviderID, GoogleAuthProviderID, FacebookAuthProviderID, GitHubAuthProviderID,
                    TwitterAuthProviderID, PhoneAuthProviderID, GameCenterAuthProviderID,
                ]
                print(ids)
                """
        ),
        FirebaseName(
            "EmailPasswordAuthSignInMethod",
            "EmailLinkAuthSignInMethod",
            "GoogleAuthSignInMethod",
            "FacebookAuthSignInMethod",
            "GitHubAuthSignInMethod",
            "TwitterAuthSignInMethod",
            "PhoneAuthSignInMethod",
            "GameCenterAuthSignInMethod",
            code: """
                let methods: [String] = [
                    EmailPasswordAuthSignInMethod, EmailLinkAuthSignInMethod, GoogleAuthSignInMethod,
                    FacebookAuthSignInMethod, GitHubAuthSignInMethod, TwitterAuthSignInMethod, PhoneAuthSignInMethod,
                    GameCenterAuthSignInMethod,
                ]
                print(methods)
                """
        ),
        FirebaseName(
            "TOTPMultiFactorID",
            "PhoneMultiFactorID",
            "TOTPMultiFactorAssertion",
            code: """
                let assertion: TOTPMultiFactorAssertion? = nil
                print(TOTPMultiFactorID, PhoneMultiFactorID, assertion as Any)
                """
        ),
        FirebaseName(
            "AuthErrorCode.code",
            "AuthErrorCode.Code",
            "AuthErrorDomain",
            "AuthErrors.domain",
            "AuthErrors.userInfoNameKey",
            "AuthErrors.userInfoEmailKey",
            "AuthErrors.userInfoUpdatedCredentialKey",
            "AuthErrors.userInfoMultiFactorResolverKey",
            "AuthErrorUserInfoNameKey",
            "AuthErrorUserInfoEmailKey",
            "AuthErrorUserInfoUpdatedCredentialKey",
            "AuthErrorUserInfoMultiFactorResolverKey",
            code: """
                let error: (any Error)? = AuthError(.userNotFound, "None.")
                if let error = error as NSError?, error.domain == AuthErrorDomain, error.domain == AuthErrors.domain {
                    print(AuthErrorCode(rawValue: error.code)?.code as Any, AuthErrorCode.Code.userNotFound, error._code)
                    print(
                        error.userInfo[AuthErrorUserInfoNameKey] as? String as Any,
                        error.userInfo[AuthErrorUserInfoEmailKey] as? String as Any,
                        error.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential as Any,
                        error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver as Any,
                        [AuthErrors.userInfoNameKey, AuthErrors.userInfoEmailKey],
                        [AuthErrors.userInfoUpdatedCredentialKey, AuthErrors.userInfoMultiFactorResolverKey]
                    )
                }
                """
        ),
        FirebaseName(
            "User.anonymous()",
            "User.emailVerified()",
            "newUser()",
            code: """
                let isNew = try await auth.signInAnonymously().additionalUserInfo?.newUser()
                print(user.anonymous(), user.emailVerified(), isNew as Any)
                """
        ),
        FirebaseName(
            "AuthTokenResult.claims",
            "AdditionalUserInfo.profile",
            code: """
                let result = try await user.getIDTokenResult()
                let claims: [String: Any] = result.claims
                let profile: [String: Any]? = try await auth.signInAnonymously().additionalUserInfo?.profile
                print(result.claims["admin"] as? Bool as Any, claims["a"] as? [String: Any] as Any, profile as Any)
                """
        ),
    ]

    private static let refused = [
        FirebaseName(
            "Auth.customAuthDomain",
            code: "auth.customAuthDomain = \"a.example\"",
            refusal: "The project determines"
        ),
        FirebaseName("Auth.settings", code: "_ = auth.settings", refusal: "for phones"),
        FirebaseName("AuthSettings", code: "var settings: AuthSettings?", refusal: "for phones"),
        FirebaseName(
            "Auth.initializeRecaptchaConfig()",
            code: "try await auth.initializeRecaptchaConfig()",
            refusal: "no client for a desktop"
        ),
        FirebaseName(
            "initializeRecaptchaConfig(completion:)",
            code: "auth.initializeRecaptchaConfig { _ in }",
            refusal: "no client for a desktop"
        ),
        FirebaseName(
            "Auth.authStateDidChangeNotification",
            code: "_ = Auth.authStateDidChangeNotification",
            refusal: "addStateDidChangeListener(_:)"
        ),
        FirebaseName("Auth.apnsToken", code: "_ = auth.apnsToken", refusal: "no push notifications"),
        FirebaseName(
            "setAPNSToken(_:type:)",
            "AuthAPNSTokenType",
            code: "func a(_ type: AuthAPNSTokenType) { auth.setAPNSToken(Data(), type: type) }",
            refusal: "no push notifications"
        ),
        FirebaseName(
            "canHandleNotification(_:)",
            code: "_ = auth.canHandleNotification([:])",
            refusal: "no push notifications"
        ),
        FirebaseName(
            "Auth.canHandle(_:)",
            code: "_ = auth.canHandle(URL(filePath: \"/\"))",
            refusal: "redirects to this machine"
        ),
        FirebaseName(
            "revokeToken(withAuthorizationCode:)",
            code: "try await auth.revokeToken(withAuthorizationCode: \"c\")",
            refusal: "Apple's systems"
        ),
        FirebaseName(
            "authStateDidChangePublisher()",
            code: "_ = auth.authStateDidChangePublisher()",
            refusal: "Use authStateChanges"
        ),
        FirebaseName(
            "idTokenDidChangePublisher()",
            code: "_ = auth.idTokenDidChangePublisher()",
            refusal: "Use idTokenChanges"
        ),
        FirebaseName(
            "User.updatePhoneNumber(_:)",
            code: "try await user.updatePhoneNumber(any)",
            refusal: "cannot be verified on a desktop"
        ),
        FirebaseName("PhoneAuthProvider", code: "_ = PhoneAuthProvider.provider()", refusal: "sign in another way"),
        FirebaseName("PhoneAuthCredential", code: "_ = any as? PhoneAuthCredential", refusal: "sign in another way"),
        FirebaseName(
            "PhoneMultiFactorGenerator",
            code: "_ = PhoneMultiFactorGenerator.self",
            refusal: "use TOTPMultiFactorGenerator"
        ),
        FirebaseName(
            "PhoneMultiFactorAssertion",
            code: "_ = PhoneMultiFactorAssertion.self",
            refusal: "use TOTPMultiFactorGenerator"
        ),
        FirebaseName("PhoneMultiFactorInfo", code: "var info: PhoneMultiFactorInfo?", refusal: "PhoneMultiFactorID"),
        FirebaseName("TOTPMultiFactorInfo", code: "var info: TOTPMultiFactorInfo?", refusal: "TOTPMultiFactorID"),
        FirebaseName("GameCenterAuthProvider", code: "_ = GameCenterAuthProvider.self", refusal: "Apple's systems"),
    ]
}
