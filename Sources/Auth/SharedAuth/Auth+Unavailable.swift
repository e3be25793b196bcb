// What Firebase has for phones and Apple's systems: each name says what to write instead. No function here can be called.

extension Auth {
    /// Firebase: whether a group is kept in iCloud.
    @available(*, unavailable, message: "Not there yet: a keyring stays on its machine. Remove the line.")
    public var shareAuthStateAcrossDevices: Bool {
        get { false }
        set {}
    }

    /// Firebase: the domain of the page of a sign-in.
    @available(*, unavailable, message: "The page of a sign-in is the one that the project names; remove the line.")
    public var customAuthDomain: String? {
        get { nil }
        set {}
    }

    /// Firebase: how phone numbers are verified.
    @available(*, unavailable, message: "The settings are for phones; remove the line.")
    public var settings: Never? {
        get { nil }
        set {}
    }

    /// Firebase: begins reCAPTCHA Enterprise.
    @available(*, unavailable, message: "reCAPTCHA Enterprise has no client for a desktop; remove the line.")
    public func initializeRecaptchaConfig() async throws(AuthError) {}

    /// Firebase: begins reCAPTCHA Enterprise.
    @available(*, unavailable, message: "reCAPTCHA Enterprise has no client for a desktop; remove the line.")
    public func initializeRecaptchaConfig(completion: ((AuthError?) -> Void)?) {}

    /// Firebase: the name of a notification.
    @available(*, unavailable, message: "Write addStateDidChangeListener(_:) or authStateChanges.")
    public static var authStateDidChangeNotification: String { "" }

    /// Firebase: the app's token for notifications.
    @available(*, unavailable, message: "There are no push notifications; remove the line.")
    public var apnsToken: [UInt8]? {
        get { nil }
        set {}
    }

    /// Firebase: passes the app's token for notifications on.
    @available(*, unavailable, message: "There are no push notifications; remove the line.")
    public func setAPNSToken(_ token: some Sequence<UInt8>, type: AuthAPNSTokenType) {}

    /// Firebase: passes a notification on.
    @available(*, unavailable, message: "There are no push notifications; remove the line.")
    public func canHandleNotification(_ userInfo: [AnyHashable: Any]) -> Bool { false }

    /// Firebase: passes an address on that opened the app.
    @available(*, unavailable, message: "The browser comes back to this machine by itself; remove the line.")
    public func canHandle(_ url: some Any) -> Bool { false }

    /// Firebase: revokes a token of Sign in with Apple.
    @available(*, unavailable, message: "Sign in with Apple's codes are for Apple's systems.")
    public func revokeToken(withAuthorizationCode authorizationCode: String) async throws(AuthError) {}

    /// Firebase: `authStateChanges` for Combine.
    @available(*, unavailable, message: "Write authStateChanges, or addStateDidChangeListener(_:).")
    public func authStateDidChangePublisher() -> Never { fatalError("unavailable") }

    /// Firebase: `idTokenChanges` for Combine.
    @available(*, unavailable, message: "Write idTokenChanges, or addIDTokenDidChangeListener(_:).")
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

/// Firebase: the kind of a token for notifications.
@available(*, unavailable, message: "There are no push notifications; remove the line.")
public enum AuthAPNSTokenType {}

/// Firebase: how phone numbers are verified.
@available(*, unavailable, message: "The settings are for phones; remove the line.")
public enum AuthSettings {}

/// Firebase: verifies phone numbers.
@available(*, unavailable, message: "Phone numbers cannot be verified on a desktop: sign in another way.")
public enum PhoneAuthProvider {
    /// Firebase: a provider of the app.
    public static func provider() -> Never { fatalError("unavailable") }

    /// Firebase: a provider of an app.
    public static func provider(auth: Auth) -> Never { fatalError("unavailable") }
}

/// Firebase: the credential of a phone number.
@available(*, unavailable, message: "Phone numbers cannot be verified on a desktop: sign in another way.")
public enum PhoneAuthCredential {}

/// Firebase: makes assertions of a phone.
@available(*, unavailable, message: "A phone cannot be a second factor on a desktop: use TOTPMultiFactorGenerator.")
public enum PhoneMultiFactorGenerator {
    /// Firebase: an assertion of the credential of a phone number.
    public static func assertion(with credential: AuthCredential) -> Never { fatalError("unavailable") }
}

/// Firebase: the assertion of a phone.
@available(*, unavailable, message: "A phone cannot be a second factor on a desktop: use TOTPMultiFactorGenerator.")
public enum PhoneMultiFactorAssertion {}

/// Firebase: a phone as a second factor.
@available(*, unavailable, renamed: "MultiFactorInfo", message: "Its factorID is PhoneMultiFactorID.")
public enum PhoneMultiFactorInfo {}

/// Firebase: an authenticator app as a second factor.
@available(*, unavailable, renamed: "MultiFactorInfo", message: "Its factorID is TOTPMultiFactorID.")
public enum TOTPMultiFactorInfo {}

/// Firebase: makes credentials of Game Center.
@available(*, unavailable, message: "Game Center is for Apple's systems.")
public enum GameCenterAuthProvider {}
