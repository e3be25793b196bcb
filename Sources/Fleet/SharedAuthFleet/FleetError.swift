/// An error of a fleet: of its server, its header, or a device's part in it.
public struct FleetError: Error, Sendable {
    /// The kind of an error. The set can grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let known: Known

        private init(_ known: Known) { self.known = known }

        /// The name of the code, as written in Swift.
        public var description: String { "\(known)" }

        /// The server's address is not a valid one.
        public static let invalidAddress = Code(.invalidAddress)
        /// The server cannot be reached, or did not respond in time.
        public static let away = Code(.away)
        /// The server's certificate could not be verified, or the server refused this client's.
        public static let certificate = Code(.certificate)
        /// The server does not admit this person.
        public static let notAdmitted = Code(.notAdmitted)
        /// The server admits the role, but it belongs to no person of the schema.
        public static let noPerson = Code(.noPerson)
        /// The role has more rights than a person needs, so row security does not hold for it.
        public static let unsafeRole = Code(.unsafeRole)
        /// The schema's policies, grants or functions differ from the shipped ones.
        public static let changedSchema = Code(.changedSchema)
        /// The schema is missing, or of a version that this library does not read.
        public static let schemaVersion = Code(.schemaVersion)
        /// A connection pooler stands before the server.
        public static let pooler = Code(.pooler)
        /// The server is a standby that accepts no writes.
        public static let readOnly = Code(.readOnly)
        /// The server has no room left.
        public static let full = Code(.full)
        /// This device belongs to no fleet.
        public static let notEnrolled = Code(.notEnrolled)
        /// This device belongs to a fleet already, or the server has one of this person already.
        public static let alreadyEnrolled = Code(.alreadyEnrolled)
        /// No device of the fleet waits for this enrolment code.
        public static let wrongCode = Code(.wrongCode)
        /// The enrolment code that this device issued can be used no more.
        public static let endedCode = Code(.endedCode)
        /// This device was removed from the fleet.
        public static let removed = Code(.removed)
        /// The fleet was begun anew on another device.
        public static let reset = Code(.reset)
        /// The server shows a header that no device of the fleet wrote.
        public static let forgedHeader = Code(.forgedHeader)
        /// The server shows another history of the fleet than this device remembers.
        public static let divergedHeader = Code(.divergedHeader)
        /// The server shows later lists of devices than this device can verify, as after a long time without it.
        public static let outdated = Code(.outdated)
        /// The server shows a record that no device of the fleet wrote.
        public static let forgedRecord = Code(.forgedRecord)
        /// The change needs the server, which is away.
        public static let needsServer = Code(.needsServer)
        /// Another device began to exchange the tokens and has not finished.
        public static let exchangeInterrupted = Code(.exchangeInterrupted)
        /// Another device changed the fleet at the same time.
        public static let conflict = Code(.conflict)
        /// Any other error.
        public static let failed = Code(.failed)

        private enum Known {
            case invalidAddress, away, certificate, notAdmitted, noPerson, unsafeRole, changedSchema, schemaVersion
            case pooler, readOnly, full, notEnrolled, alreadyEnrolled, wrongCode, endedCode, removed, reset
            case forgedHeader, divergedHeader, outdated, forgedRecord, needsServer, exchangeInterrupted, conflict
            case failed
        }
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
