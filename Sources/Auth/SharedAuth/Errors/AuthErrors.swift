// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of errors, and the keys of what they carry, by Firebase's names (Firebase: `AuthErrors`).
///
/// An app that imports Foundation reads them of `error as NSError`: its `code` and `domain` are there as they are, and its `userInfo`
/// once the app says `extension AuthError: @retroactive CustomNSError {}`. Without Foundation, ``AuthError/errorUserInfo`` has the same.
public enum AuthErrors {
    /// The domain of each ``AuthError``.
    public static let domain = "FIRAuthErrorDomain"
    /// The key of the name of the code, such as `ERROR_USER_NOT_FOUND`.
    public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
    /// The key of the e-mail address of the account that a refused credential is about.
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

// What Foundation asks of an error to make an `NSError` of it. `CustomNSError` itself is Foundation's, which this module does not link:
// these members are all that the protocol asks for, so that an app can add it in one line.
extension AuthError {
    /// The domain of the `NSError` that Foundation makes of this: ``AuthErrors/domain``.
    public static var errorDomain: String { AuthErrors.domain }

    /// The number of the code, as Firebase's errors have it.
    public var errorCode: Int { code.rawValue }

    /// What Firebase's errors have in `userInfo`, by the keys of ``AuthErrors``, with the texts and the error below by Foundation's keys.
    /// It may hold an e-mail address and secrets; ``details`` has the same in types.
    public var errorUserInfo: [String: Any] {
        var members: [String: Any] = [AuthErrors.userInfoNameKey: code.errorName]
        members[AuthErrors.userInfoEmailKey] = details?.email
        members[AuthErrors.userInfoUpdatedCredentialKey] = details?.credential
        members[AuthErrors.userInfoMultiFactorResolverKey] = details?.secondFactor
        // Foundation's own keys; it does not ask an error for its texts that gives it a `userInfo`.
        members["NSLocalizedDescription"] = message
        members["NSLocalizedRecoverySuggestion"] = remedy
        members["NSUnderlyingError"] = underlying
        return members
    }

    /// The domain; Foundation reads it of every error.
    public var _domain: String { Self.errorDomain }

    /// The number of the code; Foundation reads it of every error.
    public var _code: Int { errorCode }
}
