internal import SharedAuth
internal import SharedAuthHTTP

/// A project's password policy (Firebase for the web: `PasswordPolicy`).
public struct PasswordPolicy: Sendable, Hashable {
    /// The minimum length, in UTF-16 code units.
    public let minPasswordLength: Int
    /// The maximum length, in UTF-16 code units; nil for no limit.
    public let maxPasswordLength: Int?
    /// Indicates whether a letter from a to z is required.
    public let containsLowercaseLetter: Bool
    /// Indicates whether a letter from A to Z is required.
    public let containsUppercaseLetter: Bool
    /// Indicates whether a digit from 0 to 9 is required.
    public let containsNumericCharacter: Bool
    /// Indicates whether one of ``allowedNonAlphanumericCharacters`` is required.
    public let containsNonAlphanumericCharacter: Bool
    /// The characters that satisfy ``containsNonAlphanumericCharacter``.
    public let allowedNonAlphanumericCharacters: Set<Character>
    /// Indicates whether Firebase refuses new passwords that do not meet the policy.
    public let isEnforced: Bool
    /// Indicates whether Firebase refuses a sign-in with an existing password that does not meet the policy.
    public let forceUpgradeOnSignIn: Bool

    /// Checks a password against the policy.
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

/// The result of checking a password against a policy (Firebase for the web: `PasswordValidationStatus`). A property is
/// nil if the policy does not have the rule.
public struct PasswordValidationStatus: Sendable, Hashable {
    /// Indicates whether the password is long enough.
    public let meetsMinPasswordLength: Bool
    /// Indicates whether the password is short enough.
    public let meetsMaxPasswordLength: Bool?
    /// Indicates whether the password has a letter from a to z.
    public let containsLowercaseLetter: Bool?
    /// Indicates whether the password has a letter from A to Z.
    public let containsUppercaseLetter: Bool?
    /// Indicates whether the password has a digit.
    public let containsNumericCharacter: Bool?
    /// Indicates whether the password has one of the policy's non-alphanumeric characters.
    public let containsNonAlphanumericCharacter: Bool?
    /// The policy that the password was checked against.
    public let passwordPolicy: PasswordPolicy

    /// Indicates whether the password meets all rules of the policy.
    public var isValid: Bool {
        let asked = [
            meetsMaxPasswordLength, containsLowercaseLetter, containsUppercaseLetter, containsNumericCharacter,
            containsNonAlphanumericCharacter,
        ]
        return meetsMinPasswordLength && asked.allSatisfy { $0 != false }
    }
}

extension PasswordPolicy {
    /// Reads the policy from a response.
    ///
    /// - Throws: `operationNotAllowed` if the policy has a schema version other than 1.
    init(_ answer: JSONObject) throws(AuthError) {
        let version = answer.seconds("schemaVersion") ?? 1
        guard version == 1 else {
            throw AuthError(
                .operationNotAllowed,
                "The project's password policy has a newer version than this library knows.",
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
