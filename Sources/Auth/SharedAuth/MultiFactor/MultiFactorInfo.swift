public import FoundationEssentials

/// A second factor of an account (Firebase: `MultiFactorInfo`); printed, it shows the kind alone.
public struct MultiFactorInfo: Sendable, Hashable, Codable {
    /// The id of the factor.
    public let uid: String
    /// The kind, e.g. `totp`, for codes of an authenticator app, or `phone`.
    public let factorID: String
    /// The name that the person gave it.
    public let displayName: String?
    private let knownEnrollmentDate: Date?

    /// Since when the account has it; `Date.distantPast` if the identity provider does not say.
    public var enrollmentDate: Date { knownEnrollmentDate ?? .distantPast }

    private enum CodingKeys: String, CodingKey {
        case uid, factorID, displayName
        case knownEnrollmentDate = "enrollmentDate"
    }

    /// Describes a factor.
    public init(uid: String, factorID: String, displayName: String? = nil, enrollmentDate: Date? = nil) {
        self.uid = uid
        self.factorID = factorID
        self.displayName = displayName
        knownEnrollmentDate = enrollmentDate
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
