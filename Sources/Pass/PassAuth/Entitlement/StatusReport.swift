/// A report of the advanced error reporting: the argument of ``EntitlementStatus/status(_:)``.
///
/// The order of several reports is not guaranteed.
public struct StatusReport: Sendable, Hashable {
    /// The severity.
    @frozen
    public enum Level: String, Sendable, Hashable, CaseIterable {
        case success, information, warning, error
    }

    /// The subject of the report.
    public let id: ID
    /// The reason, as text for the user: the TV provider's message, or the library's.
    public var message: String?
    /// The resource that the report concerns, if there is one.
    public var resource: String?
    /// The code to type on the second screen; only with ``ID/registrationCode``.
    public var registrationCode: String?

    /// Creates a report.
    public init(_ id: ID, message: String? = nil, resource: String? = nil, registrationCode: String? = nil) {
        self.id = id
        self.message = message
        self.resource = resource
        self.registrationCode = registrationCode
    }

    /// The message of ``ID/tokenNotFound`` if the user returned from the page without a sign-in.
    package static let cancelledOnPage = "The sign-in was cancelled on the TV provider's page."

    /// The severity.
    public var level: Level { id.level }

    /// The report in Adobe's form: `errorId`, `level`, and `message`, `resource` and `registrationCode` if they are
    /// known.
    public var dictionary: [String: String] {
        var dictionary = ["errorId": id.rawValue, "level": level.rawValue]
        dictionary["message"] = message
        dictionary["resource"] = resource
        dictionary["registrationCode"] = registrationCode
        return dictionary
    }
}

extension StatusReport {
    /// The subject of a report, as one of Adobe's ids; the set can grow.
    public struct ID: RawRepresentable, Sendable, Hashable {
        /// The id.
        public let rawValue: String

        /// Creates an id, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ id: String) { rawValue = id }

        /// The platform sign-in failed; Linux has none.
        public static let platformError = ID("AAPL_ERROR")
        /// Logged out of a session from the platform sign-in.
        public static let platformLogOut = ID("VSA203")
        /// The user has denied access to the platform sign-in.
        public static let platformDenied = ID("VSA403")
        /// There is no platform sign-in: the app's own picker is used.
        public static let platformUndetermined = ID("VSA404")
        /// The platform sign-in did not respond.
        public static let platformUnavailable = ID("VSA503")
        /// The store, or another internal part, failed.
        public static let internalError = ID("500")
        /// The programmer's domain or signature is refused.
        public static let badDomain = ID("SEC403")
        /// The device is another one: its tokens are cleared, and no user is signed in.
        public static let deviceMismatch = ID("SEC412")
        /// The connection to the servers is not secure.
        public static let insecure = ID("SEC420")
        /// The clock is wrong.
        public static let wrongClock = ID("CFG100")
        /// The programmer's id is unknown.
        public static let invalidRequestor = ID("CFG400")
        /// The servers were not found.
        public static let serversNotFound = ID("CFG404")
        /// This client is too old.
        public static let clientTooOld = ID("CFG410")
        /// Too many calls during configuration.
        public static let configurationThrottled = ID("CFG429")
        /// The servers failed during configuration.
        public static let serverError = ID("CFG500")
        /// No user is signed in.
        public static let notAuthenticated = ID("N000")
        /// A passive sign-in, without a prompt, began.
        public static let passiveAuthentication = ID("N001")
        /// In the platform's picker, the user asked for another TV provider.
        public static let otherProvider = ID("N003")
        /// In the platform's picker, the user selected a TV provider that the programmer does not work with.
        public static let unsupportedProvider = ID("N004")
        /// The picker was cancelled.
        public static let pickerCancelled = ID("N005")
        /// Signed in because the TV provider is out of service.
        public static let degradedAuthentication = ID("N010")
        /// Signed in by a temporary pass.
        public static let temporaryAuthentication = ID("N011")
        /// The temporary pass has expired.
        public static let temporaryPassExpired = ID("N111")
        /// Logged out on this machine, but the servers could not be notified. The library's own id.
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
        /// Authorized because the TV provider is out of service.
        public static let degradedAuthorization = ID("Z010")
        /// Authorized by a temporary pass.
        public static let temporaryAuthorization = ID("Z011")
        /// Refused by the TV provider, or too many calls.
        public static let denied = ID("Z100")
        /// Refused repeatedly.
        public static let deniedRepeatedly = ID("Z110")
        /// The TV provider could not be reached.
        public static let providerUnreachable = ID("Z120")
        /// The resource is malformed.
        public static let malformedResource = ID("Z130")
        /// Refused, because the TV provider is out of service (degradation).
        public static let deniedByDegradation = ID("Z169")
        /// The authorization failed for another reason, such as an unusable response.
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
