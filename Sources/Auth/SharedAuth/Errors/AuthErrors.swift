// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The error domain and the keys of an error's user info, with Firebase's names (Firebase: `AuthErrors`).
///
/// An app that imports Foundation can use `error as NSError`. Its `code` and `domain` are always set; its `userInfo` is
/// set if the app declares `extension AuthError: @retroactive CustomNSError {}`. Without Foundation,
/// ``AuthError/errorUserInfo`` has the same contents.
public enum AuthErrors {
    /// The domain of each ``AuthError``.
    public static let domain = "FIRAuthErrorDomain"
    /// The key of the name of the code, such as `ERROR_USER_NOT_FOUND`.
    public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
    /// The key of the e-mail address of the account that a rejected credential belongs to.
    public static let userInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"
    /// The key of the ``AuthCredential`` that the app may sign in with instead.
    public static let userInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"
    /// The key of the ``MultiFactorResolver`` that finishes a sign-in.
    public static let userInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"
}

/// The same as ``AuthErrors/domain``.
public let AuthErrorDomain = AuthErrors.domain
/// The same as ``AuthErrors/userInfoNameKey``.
public let AuthErrorUserInfoNameKey = AuthErrors.userInfoNameKey
/// The same as ``AuthErrors/userInfoEmailKey``.
public let AuthErrorUserInfoEmailKey = AuthErrors.userInfoEmailKey
/// The same as ``AuthErrors/userInfoUpdatedCredentialKey``.
public let AuthErrorUserInfoUpdatedCredentialKey = AuthErrors.userInfoUpdatedCredentialKey
/// The same as ``AuthErrors/userInfoMultiFactorResolverKey``.
public let AuthErrorUserInfoMultiFactorResolverKey = AuthErrors.userInfoMultiFactorResolverKey

// The requirements of Foundation's `CustomNSError`. This module does not link Foundation, so it cannot conform to the
// protocol; with these members, an app adds the conformance in one line.
extension AuthError {
    /// The domain of the `NSError` that Foundation creates from the error: ``AuthErrors/domain``.
    public static var errorDomain: String { AuthErrors.domain }

    /// The number of the code, as in Firebase's errors.
    public var errorCode: Int { code.rawValue }

    /// The user info of Firebase's errors, under the keys of ``AuthErrors``. The message, the remedy and the underlying
    /// error are under Foundation's keys.
    ///
    /// It may contain an e-mail address and secrets. ``details`` has the same data, typed.
    public var errorUserInfo: [String: Any] {
        var members: [String: Any] = [AuthErrors.userInfoNameKey: code.errorName]
        members[AuthErrors.userInfoEmailKey] = details?.email
        members[AuthErrors.userInfoUpdatedCredentialKey] = details?.credential
        members[AuthErrors.userInfoMultiFactorResolverKey] = details?.secondFactor
        // Foundation's own keys. Foundation does not read the `LocalizedError` texts of an error that has a `userInfo`.
        members["NSLocalizedDescription"] = message
        members["NSLocalizedRecoverySuggestion"] = remedy
        members["NSUnderlyingError"] = underlying
        return members
    }

    /// The domain, which Foundation reads from every error.
    public var _domain: String { Self.errorDomain }

    /// The number of the code, which Foundation reads from every error.
    public var _code: Int { errorCode }
}
