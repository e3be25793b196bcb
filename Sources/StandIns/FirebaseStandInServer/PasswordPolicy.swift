internal import SharedAuth

/// The rules for new passwords.
package struct PasswordPolicy: Sendable, Codable, Hashable {
    package var minimumLength = 6
    package var maximumLength = 4096
    package var needsLowercase = false
    package var needsUppercase = false
    package var needsDigit = false
    package var needsOther = false

    package init() {}

    /// Throws a refusal for a password that breaks a rule.
    func check(_ password: String) throws(Refusal) {
        guard password.count >= 6 else {
            throw Refusal("WEAK_PASSWORD", "Password should be at least 6 characters")
        }
        var missing: [String] = []
        if password.count < minimumLength {
            missing.append("Password must contain at least \(minimumLength) characters")
        }
        if password.count > maximumLength {
            missing.append("Password may contain at most \(maximumLength) characters")
        }
        let rules: [(Bool, (Character) -> Bool, String)] = [
            (needsLowercase, { $0.isLowercase }, "a lower case character"),
            (needsUppercase, { $0.isUppercase }, "an upper case character"),
            (needsDigit, { $0.isNumber }, "a numeric character"),
            (needsOther, { !$0.isLetter && !$0.isNumber }, "a non-alphanumeric character"),
        ]
        for (isNeeded, isOne, name) in rules where isNeeded && !password.contains(where: isOne) {
            missing.append("Password must contain \(name)")
        }
        guard missing.isEmpty else {
            let list = missing.joined(separator: ", ")
            throw Refusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "Missing password requirements: [\(list)]")
        }
    }

    var wire: JSONValue {
        .object([
            "customStrengthOptions": .object([
                "minPasswordLength": .number(Double(minimumLength)),
                "maxPasswordLength": .number(Double(maximumLength)),
                "containsLowercaseCharacter": .bool(needsLowercase),
                "containsUppercaseCharacter": .bool(needsUppercase),
                "containsNumericCharacter": .bool(needsDigit),
                "containsNonAlphanumericCharacter": .bool(needsOther),
            ]),
            "allowedNonAlphanumericCharacters": .array("^$*.[]{}()?\"!@#%&/\\,><':;|_~".map { .string(String($0)) }),
            "enforcementState": .string("ENFORCE"),
            "forceUpgradeOnSignin": .bool(false),
            "schemaVersion": .number(1),
        ])
    }
}
