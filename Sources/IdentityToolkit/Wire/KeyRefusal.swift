internal import SharedAuth

/// Why Google does not take the API key: nothing of it is about the user.
enum KeyRefusal: Sendable {
    case invalid
    /// Of another kind of app: `iOS apps`, `Android apps`, `web pages`, `other addresses`.
    case restricted(to: String)
    /// Not for this API.
    case notForAPI(String)

    /// Reads a reason as Google writes it today.
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

    /// Reads a reason as Google wrote it before.
    init?(olderReason: String) {
        switch olderReason {
        case _ where olderReason.hasPrefix("keyInvalid"): self = .invalid
        case "ipRefererBlocked": self = .restricted(to: "other pages or addresses")
        default: return nil
        }
    }

    /// The error that it is.
    var meaning: (code: AuthErrorCode, sentence: String, remedy: String?) {
        switch self {
        case .invalid:
            (
                .invalidAPIKey, "Google does not know the API key.",
                "Copy the key of the Firebase project again, from its settings."
            )
        case .restricted(let kind):
            (
                .appNotAuthorized, "The API key is restricted to \(kind), and refused here.",
                "Make a key without an application restriction, in the Google Cloud console, for the app on Linux."
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
