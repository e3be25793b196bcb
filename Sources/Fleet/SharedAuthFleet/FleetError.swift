/// An error of a fleet: of its server, its header, or a device's part in it.
public struct FleetError: Error, Sendable {
    /// The kind of an error.
    ///
    /// More cases may be added: a `switch` needs an `@unknown default`.
    public enum Code: String, Sendable, Hashable {
        /// The server's address is not a valid one.
        case invalidAddress
        /// The server cannot be reached, or did not respond in time.
        case away
        /// The server's certificate could not be verified, or the server refused this client's.
        case certificate
        /// The server does not admit this person.
        case notAdmitted
        /// The server admits the role, but it belongs to no person of the schema.
        case noPerson
        /// The role has more rights than a person needs, so row security does not hold for it.
        case unsafeRole
        /// The schema's policies, grants or functions differ from the shipped ones.
        case changedSchema
        /// The schema is missing, or of a version that this library does not read.
        case schemaVersion
        /// A connection pooler stands before the server.
        case pooler
        /// The server is a standby that accepts no writes.
        case readOnly
        /// The server has no room left.
        case full
        /// This device belongs to no fleet.
        case notEnrolled
        /// This device belongs to a fleet already, or the server has one of this person already.
        case alreadyEnrolled
        /// No device of the fleet issued this enrolment code, or it was used.
        case wrongCode
        /// This device was removed from the fleet.
        case removed
        /// The fleet was begun anew on another device.
        case reset
        /// The server shows a header that no device of the fleet wrote.
        case forgedHeader
        /// The server shows another history of the fleet than this device remembers.
        case divergedHeader
        /// The server shows a record that no device of the fleet wrote.
        case forgedRecord
        /// The change needs the server, which is away.
        case needsServer
        /// Another device began to exchange the tokens and has not finished.
        case exchangeInterrupted
        /// Another device changed the fleet at the same time.
        case conflict
        /// Any other error.
        case failed
    }

    /// The kind of the error.
    public let code: Code
    /// A description of the failure; never contains a secret.
    public let message: String
    /// The recommended action.
    public let remedy: String?
    /// Indicates whether the change may have taken effect despite the error.
    public let outcomeIsUnknown: Bool

    /// Creates an error.
    public init(_ code: Code, _ message: String, remedy: String? = nil, outcomeIsUnknown: Bool = false) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.outcomeIsUnknown = outcomeIsUnknown
    }
}

extension FleetError: CustomStringConvertible {
    /// The message and the remedy.
    public var description: String { remedy.map { "\(message) \($0)" } ?? message }
}
