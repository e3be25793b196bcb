public import DesktopSupport

/// An event of an ``AccessEnabler``: a call to its delegate, as a value. Its description shows no token, address or
/// personal data.
@frozen
public enum EntitlementEvent: Sendable, Hashable {
    /// A `setRequestor` call has ended.
    case requestorComplete(isConfigured: Bool)
    /// The app has to show a picker.
    case providerDialog([MVPD])
    /// The app has to show a page, in its own secure browser if one is required and the app shows one.
    case navigation(url: String, usesSecureBrowser: Bool)
    /// The user is signed in or not.
    case authentication(AuthenticationStatus)
    /// A resource may be played, with this media token.
    case token(String, resource: String)
    /// A resource may not be played.
    case tokenRequestFailed(EntitlementError, resource: String)
    /// The resources that are permitted; nil if the request failed.
    case preauthorizedResources([String]?)
    /// The selected TV provider.
    case selectedProvider(MVPD?)
    /// The result of `getMetadata`.
    case metadata(MetadataAnswer)
    /// An event for usage tracking, with the client that it happened on.
    case tracking(TrackingEvent, ClientInformation)
    /// A report of the advanced error reporting.
    case status(StatusReport)
    /// A log-out has ended; the delegate receives only the status that precedes it.
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

extension EntitlementEvent: Redacted {
    /// The kind, and the content of a status; no token, address or personal data.
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
}

/// The result of a check whether a user is signed in.
public struct AuthenticationStatus: Sendable, Hashable, CustomStringConvertible {
    /// Indicates whether a user is signed in.
    public let isAuthenticated: Bool
    /// The reason: one of ``EntitlementConstant``'s error strings. Empty if a user is signed in.
    public let errorCode: String

    /// A user is signed in.
    public static let authenticated = AuthenticationStatus(isAuthenticated: true, errorCode: "")

    static func failed(_ code: String) -> AuthenticationStatus {
        AuthenticationStatus(isAuthenticated: false, errorCode: code)
    }

    /// The status and the error string.
    public var description: String {
        "authentication(\(isAuthenticated ? 1 : 0)\(errorCode.isEmpty ? "" : ", \(errorCode)"))"
    }
}

/// The reason for the failure of an entitlement call.
public struct EntitlementError: Error, Sendable, Hashable {
    /// One of ``EntitlementConstant``'s error strings.
    public let code: String
    /// The TV provider's message, or the library's; often empty.
    public let details: String

    init(_ code: String, _ details: String = "") {
        self.code = code
        self.details = details
    }
}

extension EntitlementError: CustomStringConvertible {
    /// The error string, with the details if there are any.
    public var description: String { details.isEmpty ? code : "\(code): \(details)" }
}
