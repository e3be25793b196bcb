internal import SharedAuth

/// The reason that Google refuses the API key. None of these concern the user.
enum KeyRefusal: Sendable {
    case invalid
    /// The key is restricted to other uses; the text names them in the message, such as `iOS apps`.
    case restricted(to: String)
    /// The key does not allow this API.
    case notForAPI(String)

    /// Parses a reason in Google's current format.
    init?(reason: String, _ operation: AccountOperation) {
        switch reason {
        case "API_KEY_INVALID": self = .invalid
        case "API_KEY_IOS_APP_BLOCKED": self = .restricted(to: "iOS apps")
        case "API_KEY_ANDROID_APP_BLOCKED": self = .restricted(to: "Android apps")
        case "API_KEY_HTTP_REFERRER_BLOCKED": self = .restricted(to: "web pages")
        case "API_KEY_IP_ADDRESS_BLOCKED": self = .restricted(to: "other network addresses")
        case "API_KEY_SERVICE_BLOCKED":
            let isRefresh = operation.path == AccountOperation.refresh.path
            self = .notForAPI(isRefresh ? "Token Service API" : "Identity Toolkit API")
        case _ where reason.hasPrefix("API_KEY_") && reason.hasSuffix("_BLOCKED"): self = .restricted(to: "other uses")
        default: return nil
        }
    }

    /// Parses a reason in Google's former format.
    init?(olderReason: String) {
        switch olderReason {
        case _ where olderReason.hasPrefix("keyInvalid"): self = .invalid
        case "ipRefererBlocked": self = .restricted(to: "other pages or addresses")
        default: return nil
        }
    }

    /// The error code, message and remedy for the app.
    var meaning: (code: AuthErrorCode, sentence: String, remedy: String?) {
        switch self {
        case .invalid:
            (
                .invalidAPIKey, "Google does not know the API key.",
                "Copy the key of the Firebase project again, from its settings."
            )
        case .restricted(let kind):
            (
                .appNotAuthorized, "The API key is restricted to \(kind), so it cannot be used here.",
                "Create a key without an application restriction in the Google Cloud console for the app on Linux."
            )
        case .notForAPI(let name):
            (
                .appNotAuthorized,
                "The API key is not for the \(name)\(name.hasPrefix("Token") ? ", so no session could be refreshed" : "").",
                "Allow the key both the Identity Toolkit API and the Token Service API, in the Google Cloud console."
            )
        }
    }
}
