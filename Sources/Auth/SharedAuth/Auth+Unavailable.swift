// Firebase API that has no counterpart here. The message says what to use instead, or why there is nothing.

extension Auth {
    /// Firebase: the domain of the sign-in page.
    @available(*, unavailable, message: "The project determines the sign-in page; remove the line.")
    public var customAuthDomain: String? {
        get { nil }
        set {}
    }

    /// Firebase: the settings for phone-number verification.
    @available(*, unavailable, message: "The settings are for phones; remove the line.")
    public var settings: Never? {
        get { nil }
        set {}
    }

    /// Firebase: initializes reCAPTCHA Enterprise.
    @available(*, unavailable, message: "reCAPTCHA Enterprise has no client for a desktop; remove the line.")
    public func initializeRecaptchaConfig() async throws(AuthError) {}

    /// Firebase: initializes reCAPTCHA Enterprise.
    @available(*, unavailable, message: "reCAPTCHA Enterprise has no client for a desktop; remove the line.")
    public func initializeRecaptchaConfig(completion: ((AuthError?) -> Void)?) {}

    /// Firebase: the name of the notification that is posted when the current user changes.
    @available(*, unavailable, message: "Use addStateDidChangeListener(_:) or authStateChanges.")
    public static var authStateDidChangeNotification: String { "" }

    /// Firebase: the app's token for push notifications.
    @available(*, unavailable, message: "There are no push notifications; remove the line.")
    public var apnsToken: [UInt8]? {
        get { nil }
        set {}
    }

    /// Firebase: forwards the app's token for push notifications.
    @available(*, unavailable, message: "There are no push notifications; remove the line.")
    public func setAPNSToken(_ token: some Sequence<UInt8>, type: AuthAPNSTokenType) {}

    /// Firebase: forwards a push notification.
    @available(*, unavailable, message: "There are no push notifications; remove the line.")
    public func canHandleNotification(_ userInfo: [AnyHashable: Any]) -> Bool { false }

    /// Firebase: forwards a URL that opened the app.
    @available(*, unavailable, message: "Not needed: the browser redirects to this machine; remove the line.")
    public func canHandle(_ url: some Any) -> Bool { false }

    /// Firebase: revokes the user's Sign in with Apple token.
    @available(*, unavailable, message: "Sign in with Apple's authorization codes exist only on Apple's systems.")
    public func revokeToken(withAuthorizationCode authorizationCode: String) async throws(AuthError) {}

    /// Firebase: `authStateChanges` for Combine.
    @available(*, unavailable, message: "Use authStateChanges, or addStateDidChangeListener(_:).")
    public func authStateDidChangePublisher() -> Never { fatalError("unavailable") }

    /// Firebase: `idTokenChanges` for Combine.
    @available(*, unavailable, message: "Use idTokenChanges, or addIDTokenDidChangeListener(_:).")
    public func idTokenDidChangePublisher() -> Never { fatalError("unavailable") }
}

extension User {
    /// Firebase: changes the phone number.
    @available(*, unavailable, message: "Phone numbers cannot be verified on a desktop.")
    public func updatePhoneNumber(_ credential: AuthCredential) async throws(AuthError) {}

    /// Firebase: changes the phone number.
    @available(*, unavailable, message: "Phone numbers cannot be verified on a desktop.")
    public func updatePhoneNumber(_ credential: AuthCredential, completion: ((AuthError?) -> Void)?) {}
}

/// Firebase: the kind of a token for push notifications.
@available(*, unavailable, message: "There are no push notifications; remove the line.")
public enum AuthAPNSTokenType {}

/// Firebase: the settings for phone-number verification.
@available(*, unavailable, message: "The settings are for phones; remove the line.")
public enum AuthSettings {}

/// Firebase: verifies phone numbers.
@available(*, unavailable, message: "Phone numbers cannot be verified on a desktop: sign in another way.")
public enum PhoneAuthProvider {
    /// Firebase: returns the provider of the default app.
    public static func provider() -> Never { fatalError("unavailable") }

    /// Firebase: returns the provider of an app.
    public static func provider(auth: Auth) -> Never { fatalError("unavailable") }
}

/// Firebase: a phone-number credential.
@available(*, unavailable, message: "Phone numbers cannot be verified on a desktop: sign in another way.")
public enum PhoneAuthCredential {}

/// Firebase: creates assertions for a second factor that is a phone.
@available(*, unavailable, message: "A phone cannot be a second factor on a desktop: use TOTPMultiFactorGenerator.")
public enum PhoneMultiFactorGenerator {
    /// Firebase: returns an assertion for a phone-number credential.
    public static func assertion(with credential: AuthCredential) -> Never { fatalError("unavailable") }
}

/// Firebase: an assertion for a second factor that is a phone.
@available(*, unavailable, message: "A phone cannot be a second factor on a desktop: use TOTPMultiFactorGenerator.")
public enum PhoneMultiFactorAssertion {}

/// Firebase: a second factor that is a phone.
@available(*, unavailable, renamed: "MultiFactorInfo", message: "Its factorID is PhoneMultiFactorID.")
public enum PhoneMultiFactorInfo {}

/// Firebase: a second factor that is an authenticator app.
@available(*, unavailable, renamed: "MultiFactorInfo", message: "Its factorID is TOTPMultiFactorID.")
public enum TOTPMultiFactorInfo {}

/// Firebase: creates Game Center credentials.
@available(*, unavailable, message: "Game Center is available only on Apple's systems.")
public enum GameCenterAuthProvider {}
