public import FoundationEssentials

/// A second factor of an account (Firebase: `MultiFactorInfo`); printed, it shows the kind alone.
public struct MultiFactorInfo: Sendable, Hashable {
    /// The id of the factor.
    public let uid: String
    /// The kind, e.g. `totp`, for codes that an app of the person's computes, or `phone`.
    public let factorID: String
    /// The name that the person gave it.
    public let displayName: String?
    /// Since when the account has it.
    public let enrollmentDate: Date?

    /// Describes a factor.
    public init(uid: String, factorID: String, displayName: String? = nil, enrollmentDate: Date? = nil) {
        self.uid = uid
        self.factorID = factorID
        self.displayName = displayName
        self.enrollmentDate = enrollmentDate
    }
}

extension MultiFactorInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String { "MultiFactorInfo(\(factorID))" }
    /// The kind alone.
    public var debugDescription: String { description }
    /// The kind alone: the rest is personal.
    public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}

/// What shows that the person has a second factor (Firebase: `MultiFactorAssertion`); made by ``TOTPMultiFactorGenerator``. Printed, it
/// shows the kind alone.
public struct MultiFactorAssertion: Sendable {
    /// The kind, e.g. `totp`.
    public let factorID: String
    /// The id of the factor.
    public let enrollmentID: String
    /// The code that it gives at the moment.
    public let oneTimePassword: String
}

extension MultiFactorAssertion: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String { "MultiFactorAssertion(\(factorID))" }
    /// The kind alone.
    public var debugDescription: String { description }
    /// The kind alone: the code is secret.
    public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}

/// Makes assertions of codes that an app of the person's computes (Firebase: `TOTPMultiFactorGenerator`).
public enum TOTPMultiFactorGenerator {
    /// The kind of factor (Firebase: `TOTPMultiFactorID`).
    public static let id = "totp"

    /// Makes the assertion for a sign-in.
    ///
    /// - Parameters:
    ///   - enrollmentID: the `uid` of the factor, one of the resolver's hints.
    ///   - oneTimePassword: the code that the person reads in that app.
    public static func assertionForSignIn(
        withEnrollmentID enrollmentID: String,
        oneTimePassword: String
    ) -> MultiFactorAssertion {
        MultiFactorAssertion(factorID: id, enrollmentID: enrollmentID, oneTimePassword: oneTimePassword)
    }
}
