/// A call of an ``AccessEnabler``'s delegate, as a value. Printed, it shows its kind alone.
@frozen
public enum EntitlementEvent: Sendable, Hashable {
    /// A `setRequestor` has ended.
    case requestorComplete(isConfigured: Bool)
    /// The app is to show a picker.
    case providerDialog([MVPD])
    /// The app is to show a page; in a secure browser of its own, where that is demanded and the app shows one.
    case navigation(url: String, usesSecureBrowser: Bool)
    /// Whether somebody is signed in.
    case authentication(AuthenticationStatus)
    /// A resource may be played, with this media token.
    case token(String, resource: String)
    /// A resource may not be played.
    case tokenRequestFailed(EntitlementError, resource: String)
    /// Those of the resources that are permitted; nil when the question failed.
    case preauthorizedResources([String]?)
    /// The TV provider that is chosen.
    case selectedProvider(MVPD?)
    /// The answer to `getMetadata`.
    case metadata(MetadataAnswer)
    /// Something to count, with the client it is counted on.
    case tracking(TrackingEvent, ClientInformation)
    /// A report of the advanced error reporting.
    case status(StatusReport)
    /// A log-out has ended; the delegate hears the status that comes before it alone.
    case loggedOut

    /// Calls a delegate.
    func tell(_ delegate: any EntitlementDelegate & EntitlementStatus) {
        switch self {
        case .requestorComplete(let isConfigured): delegate.setRequestorComplete(isConfigured ? 1 : 0)
        case .providerDialog(let mvpds): delegate.displayProviderDialog(mvpds)
        case .navigation(let url, true): delegate.navigate(toUrl: url, useSVC: true)
        case .navigation(let url, false): delegate.navigate(toUrl: url)
        case .authentication(let status):
            delegate.setAuthenticationStatus(status.isAuthenticated ? 1 : 0, errorCode: status.errorCode)
        case .token(let token, let resource): delegate.setToken(token, forResource: resource)
        case .tokenRequestFailed(let error, let resource):
            delegate.tokenRequestFailed(resource, errorCode: error.code, errorDescription: error.details)
        case .preauthorizedResources(let resources): delegate.preauthorizedResources(resources)
        case .selectedProvider(let mvpd): delegate.selectedProvider(mvpd)
        case .metadata(let answer):
            delegate.setMetadataStatus(
                answer.value,
                encrypted: answer.isEncrypted,
                forKey: answer.key.operation,
                andArguments: answer.key.arguments
            )
        case .tracking(let event, let client):
            delegate.sendTrackingData(event.values(on: client), forEventType: event.number)
        case .status(let report): delegate.status(report.dictionary)
        case .loggedOut: break
        }
    }
}

extension EntitlementEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind, and of a status what it says: no token, address, or anything of the person.
    public var description: String {
        switch self {
        case .requestorComplete(let isConfigured): "requestorComplete(\(isConfigured ? 1 : 0))"
        case .providerDialog(let mvpds): "providerDialog(\(mvpds.map(\.id).joined(separator: " ")))"
        case .navigation(_, let usesSecureBrowser): "navigation(\(usesSecureBrowser ? "SVC" : "plain"))"
        case .authentication(let status): "\(status)"
        case .token: "token"
        case .tokenRequestFailed(let error, _): "tokenRequestFailed(\(error.code))"
        case .preauthorizedResources(let resources): "preauthorized(\(resources.map { "\($0.count)" } ?? "none"))"
        case .selectedProvider(let mvpd): "selectedProvider(\(mvpd?.id ?? "none"))"
        case .metadata(let answer): "metadata(\(answer.value == nil ? "none" : "some"))"
        case .tracking(let event, _): "tracking(\(event.number))"
        case .status(let report): "status(\(report.id.rawValue))"
        case .loggedOut: "loggedOut"
        }
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing: it may hold a token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether somebody is signed in.
public struct AuthenticationStatus: Sendable, Hashable, CustomStringConvertible {
    /// Whether somebody is.
    public let isAuthenticated: Bool
    /// Why not: one of ``EntitlementConstant``'s error strings. Empty when somebody is.
    public let errorCode: String

    /// Somebody is signed in.
    public static let authenticated = AuthenticationStatus(isAuthenticated: true, errorCode: "")

    static func failed(_ code: String) -> AuthenticationStatus {
        AuthenticationStatus(isAuthenticated: false, errorCode: code)
    }

    /// The status and the error string.
    public var description: String {
        "authentication(\(isAuthenticated ? 1 : 0)\(errorCode.isEmpty ? "" : ", \(errorCode)"))"
    }
}

/// Why an entitlement call failed.
public struct EntitlementError: Error, Sendable, Hashable {
    /// One of ``EntitlementConstant``'s error strings.
    public let code: String
    /// The TV provider's words, or the library's; often empty.
    public let details: String

    init(_ code: String, _ details: String = "") {
        self.code = code
        self.details = details
    }
}

extension EntitlementError: CustomStringConvertible {
    /// The error string, and the details where there are any.
    public var description: String { details.isEmpty ? code : "\(code): \(details)" }
}
