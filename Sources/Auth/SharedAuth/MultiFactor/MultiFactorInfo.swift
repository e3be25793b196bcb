public import DesktopSupport
public import FoundationEssentials

/// A second factor of an account (Firebase: `MultiFactorInfo`). Its description shows the kind alone.
public struct MultiFactorInfo: Sendable, Hashable, Codable {
    /// The id of the factor.
    public let uid: String
    /// The kind: `totp` for codes of an authenticator app, or e.g. `phone`.
    public let factorID: String
    /// The user's name for the factor.
    public let displayName: String?
    private let knownEnrollmentDate: Date?

    /// The date on which the factor was enrolled; `Date.distantPast` if it is not known.
    public var enrollmentDate: Date { knownEnrollmentDate ?? .distantPast }

    private enum CodingKeys: String, CodingKey {
        case uid, factorID, displayName
        case knownEnrollmentDate = "enrollmentDate"
    }

    /// Creates the description of a factor.
    ///
    /// - Parameters:
    ///   - uid: The id of the factor.
    ///   - factorID: The kind of factor, e.g. `totp`.
    ///   - displayName: The user's name for the factor.
    ///   - enrollmentDate: The date on which the factor was enrolled; nil if it is not known.
    public init(uid: String, factorID: String, displayName: String? = nil, enrollmentDate: Date? = nil) {
        self.uid = uid
        self.factorID = factorID
        self.displayName = displayName
        knownEnrollmentDate = enrollmentDate
    }
}

extension MultiFactorInfo: Redacted {
    /// The kind alone.
    public var description: String { "MultiFactorInfo(\(factorID))" }
    /// The kind alone: the rest is personal.
    public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}
