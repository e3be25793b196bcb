/// A report of the advanced error reporting: what `status` of ``EntitlementStatus`` is called with.
///
/// The order of several reports is not promised.
public struct StatusReport: Sendable, Hashable {
    /// The severity.
    @frozen
    public enum Level: String, Sendable, Hashable, CaseIterable {
        case success, information, warning, error
    }

    /// The subject of the report.
    public let id: ID
    /// Why, for people: the TV provider's words, or the library's.
    public var message: String?
    /// The resource it is about, if it is about one.
    public var resource: String?
    /// Of ``ID/registrationCode``: what the person types on the second screen.
    public var registrationCode: String?

    /// Makes a report.
    public init(_ id: ID, message: String? = nil, resource: String? = nil, registrationCode: String? = nil) {
        self.id = id
        self.message = message
        self.resource = resource
        self.registrationCode = registrationCode
    }

    /// The message of ``ID/tokenNotFound`` where the person came back from the page without a sign-in.
    package static let cancelledOnPage = "The sign-in was cancelled on the TV provider's page."

    /// The severity.
    public var level: Level { id.level }

    /// The report under Adobe's names: `errorId`, `level`, and where they are known `message`, `resource` and
    /// `registrationCode`.
    public var dictionary: [String: String] {
        var dictionary = ["errorId": id.rawValue, "level": level.rawValue]
        dictionary["message"] = message
        dictionary["resource"] = resource
        dictionary["registrationCode"] = registrationCode
        return dictionary
    }
}

extension StatusReport {
    /// The subject of a report, by Adobe's ids; the set can grow.
    public struct ID: RawRepresentable, Sendable, Hashable {
        /// The id.
        public let rawValue: String

        /// Takes an id, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ id: String) { rawValue = id }

        /// The platform's sign-in failed; there is none on Linux.
        public static let platformError = ID("AAPL_ERROR")
        /// Logged out of a session that the platform's sign-in gave.
        public static let platformLogOut = ID("VSA203")
        /// The person forbids the platform's sign-in.
        public static let platformDenied = ID("VSA403")
        /// There is no platform's sign-in to ask: the app's own picker is used.
        public static let platformUndetermined = ID("VSA404")
        /// The platform's sign-in gave no answer.
        public static let platformUnavailable = ID("VSA503")
        /// The store, or something else inside, failed.
        public static let internalError = ID("500")
        /// The programmer's domain or signature is refused.
        public static let badDomain = ID("SEC403")
        /// The device is another one: its tokens are cleared, and nobody is signed in.
        public static let deviceMismatch = ID("SEC412")
        /// No secure connection to the servers.
        public static let insecure = ID("SEC420")
        /// The clock is wrong.
        public static let wrongClock = ID("CFG100")
        /// The programmer's id is not known.
        public static let invalidRequestor = ID("CFG400")
        /// The servers are not found.
        public static let serversNotFound = ID("CFG404")
        /// This client is too old.
        public static let clientTooOld = ID("CFG410")
        /// Too many calls, while configuring.
        public static let configurationThrottled = ID("CFG429")
        /// The servers fail, while configuring.
        public static let serverError = ID("CFG500")
        /// Nobody is signed in.
        public static let notAuthenticated = ID("N000")
        /// A sign-in without asking began.
        public static let passiveAuthentication = ID("N001")
        /// In the platform's picker, another TV provider was wanted.
        public static let otherProvider = ID("N003")
        /// In the platform's picker, a TV provider was chosen that the programmer does not work with.
        public static let unsupportedProvider = ID("N004")
        /// The picker was cancelled.
        public static let pickerCancelled = ID("N005")
        /// Signed in because the TV provider is out of order.
        public static let degradedAuthentication = ID("N010")
        /// Signed in by a temporary pass.
        public static let temporaryAuthentication = ID("N011")
        /// The temporary pass has expired.
        public static let temporaryPassExpired = ID("N111")
        /// Logged out here, and the servers could not be told. The library's own id.
        public static let logOutNotTold = ID("LOGOUT500")
        /// The servers have no authentication token for this sign-in.
        public static let tokenNotFound = ID("N130")
        /// The sign-in failed.
        public static let authenticationFailed = ID("N500")
        /// The app is not registered, or its software statement is not accepted.
        public static let notRegistered = ID("R400")
        /// There is no access token.
        public static let noAccessToken = ID("R401")
        /// There is no registration code, or it has expired.
        public static let noRegistrationCode = ID("REG500")
        /// A registration code for the second screen.
        public static let registrationCode = ID("REGCODE")
        /// Authorized because the TV provider is out of order.
        public static let degradedAuthorization = ID("Z010")
        /// Authorized by a temporary pass.
        public static let temporaryAuthorization = ID("Z011")
        /// Refused by the TV provider, or too many calls.
        public static let denied = ID("Z100")
        /// Refused again and again.
        public static let deniedRepeatedly = ID("Z110")
        /// The TV provider could not be asked.
        public static let providerUnreachable = ID("Z120")
        /// The resource is malformed.
        public static let malformedResource = ID("Z130")
        /// Refused, because the TV provider is out of order.
        public static let deniedByDegradation = ID("Z169")
        /// The answer could not be understood.
        public static let authorizationFailed = ID("Z500")
        /// Preauthorization failed: usually too many resources.
        public static let preauthorizationFailed = ID("P100")

        /// The severity.
        public var level: Level {
            switch self {
            case .registrationCode: .success
            case .platformLogOut, .platformDenied, .platformUndetermined, .platformUnavailable, .notAuthenticated,
                .passiveAuthentication, .otherProvider, .unsupportedProvider, .pickerCancelled,
                .temporaryAuthentication, .temporaryAuthorization:
                .information
            case .deviceMismatch, .wrongClock, .logOutNotTold, .degradedAuthentication, .temporaryPassExpired,
                .degradedAuthorization:
                .warning
            default: .error
            }
        }
    }
}
