internal import SharedAuth
internal import SharedAuthHTTP

/// The rules of a project for passwords, as its owner has set them (Firebase for the web: `PasswordPolicy`).
public struct PasswordPolicy: Sendable, Hashable {
    /// The least number of characters, counted as UTF-16 has them.
    public let minPasswordLength: Int
    /// The greatest number of characters; nil: no password is too long.
    public let maxPasswordLength: Int?
    /// Whether a letter from a to z is needed.
    public let containsLowercaseLetter: Bool
    /// Whether a letter from A to Z is needed.
    public let containsUppercaseLetter: Bool
    /// Whether a digit from 0 to 9 is needed.
    public let containsNumericCharacter: Bool
    /// Whether one of ``allowedNonAlphanumericCharacters`` is needed.
    public let containsNonAlphanumericCharacter: Bool
    /// The characters that count as neither letters nor digits.
    public let allowedNonAlphanumericCharacters: Set<Character>
    /// Whether Firebase refuses new passwords that are not so.
    public let isEnforced: Bool
    /// Whether it refuses a sign-in with an older password that is not so.
    public let forceUpgradeOnSignIn: Bool

    /// Compares a password with the policy.
    public func validate(_ password: String) -> PasswordValidationStatus {
        func has(_ isMeant: (Character) -> Bool) -> Bool { password.contains(where: isMeant) }
        func ifAsked(_ isAsked: Bool, _ has: Bool) -> Bool? { isAsked ? has : nil }
        let length = password.utf16.count
        return PasswordValidationStatus(
            meetsMinPasswordLength: length >= minPasswordLength,
            meetsMaxPasswordLength: maxPasswordLength.map { length <= $0 },
            containsLowercaseLetter: ifAsked(containsLowercaseLetter, has { ("a"..."z").contains($0) }),
            containsUppercaseLetter: ifAsked(containsUppercaseLetter, has { ("A"..."Z").contains($0) }),
            containsNumericCharacter: ifAsked(containsNumericCharacter, has { ("0"..."9").contains($0) }),
            containsNonAlphanumericCharacter: ifAsked(
                containsNonAlphanumericCharacter,
                has { allowedNonAlphanumericCharacters.contains($0) }
            ),
            passwordPolicy: self
        )
    }
}

/// The result of comparing a password with a policy (Firebase for the web: `PasswordValidationStatus`); a rule that the
/// policy does not have is nil.
public struct PasswordValidationStatus: Sendable, Hashable {
    /// Whether it is long enough.
    public let meetsMinPasswordLength: Bool
    /// Whether it is short enough.
    public let meetsMaxPasswordLength: Bool?
    /// Whether it has a letter from a to z.
    public let containsLowercaseLetter: Bool?
    /// Whether it has a letter from A to Z.
    public let containsUppercaseLetter: Bool?
    /// Whether it has a digit.
    public let containsNumericCharacter: Bool?
    /// Whether it has a character that is neither.
    public let containsNonAlphanumericCharacter: Bool?
    /// The policy that it was compared with.
    public let passwordPolicy: PasswordPolicy

    /// Whether it keeps all rules of the policy.
    public var isValid: Bool {
        let asked = [
            meetsMaxPasswordLength, containsLowercaseLetter, containsUppercaseLetter, containsNumericCharacter,
            containsNonAlphanumericCharacter,
        ]
        return meetsMinPasswordLength && asked.allSatisfy { $0 != false }
    }
}

extension PasswordPolicy {
    /// Reads the policy of an answer.
    ///
    /// - Throws: `operationNotAllowed` for one of a newer version.
    init(_ answer: JSONObject) throws(AuthError) {
        let version = answer.seconds("schemaVersion") ?? 1
        guard version == 1 else {
            throw AuthError(
                .operationNotAllowed,
                "The project's policy for passwords is of a newer version than this library knows.",
                remedy: "Update the library, or let Firebase check the password."
            )
        }
        let options = JSONObject(answer.members["customStrengthOptions"])
        func asks(_ name: String) -> Bool { options?.bool(name) ?? false }
        minPasswordLength = options?.seconds("minPasswordLength").map { Int($0) } ?? 6
        maxPasswordLength = options?.seconds("maxPasswordLength").map { Int($0) }
        containsLowercaseLetter = asks("containsLowercaseCharacter")
        containsUppercaseLetter = asks("containsUppercaseCharacter")
        containsNumericCharacter = asks("containsNumericCharacter")
        containsNonAlphanumericCharacter = asks("containsNonAlphanumericCharacter")
        let others = answer.strings("allowedNonAlphanumericCharacters") ?? []
        allowedNonAlphanumericCharacters = Set(others.joined())
        isEnforced = answer.string("enforcementState") == "ENFORCE"
        forceUpgradeOnSignIn = answer.bool("forceUpgradeOnSignin") ?? false
    }
}
