/// The original error strings and numbers, with Adobe's names. The set of error strings is closed; newer errors are
/// reported as ``StatusReport``.
///
/// Adobe's headers are not public, so the numbers of metadata and tracking are this library's own: compare with the
/// constants, never with literals.
public enum EntitlementConstant {
    /// `setRequestorComplete`: the programmer is configured.
    public static let ACCESS_ENABLER_STATUS_SUCCESS = 1
    /// `setRequestorComplete`: the programmer is not configured. `setAuthenticationStatus`: no user is signed in.
    public static let ACCESS_ENABLER_STATUS_ERROR = 0

    /// No error: a user is signed in.
    public static let USER_AUTHENTICATED = ""
    /// No user is signed in; also the result of a log-out.
    public static let USER_NOT_AUTHENTICATED_ERROR = "User Not Authenticated Error"
    /// No TV provider was selected: the user cancelled.
    public static let PROVIDER_NOT_SELECTED_ERROR = "Provider not Selected Error"
    /// The programmer works with no TV provider, or not with this one.
    public static let PROVIDER_NOT_AVAILABLE_ERROR = "Provider not Available Error"
    /// The sign-in or the configuration failed.
    public static let GENERIC_AUTHENTICATION_ERROR = "Generic Authentication Error"
    /// The store could not be read or written; a ``StatusReport`` has the reason.
    public static let INTERNAL_AUTHENTICATION_ERROR = "Internal Authentication Error"
    /// Another sign-in is in progress.
    public static let MULTIPLE_AUTHENTICATION_REQUESTS_ERROR = "Multiple Authentication Requests Error"
    /// The resource was refused: by the TV provider, after too many calls, or because a temporary pass has expired.
    public static let USER_NOT_AUTHORIZED_ERROR = "User not Authorized Error"
    /// The authorization failed for a reason other than a refusal.
    public static let GENERIC_AUTHORIZATION_ERROR = "Generic Authorization Error"
    /// The store could not be read, or the response was unusable; a ``StatusReport`` has the reason.
    public static let INTERNAL_AUTHORIZATION_ERROR = "Internal Authorization Error"

    /// The final address of the login page, for an app that shows it in its own view.
    public static let ADOBEPASS_REDIRECT_URL = "adobepass://ios.app"

    /// The key of the operation, in the dictionary of `getMetadata`.
    public static let METADATA_OPCODE_KEY = "opCode"
    /// The key of the resource, for ``METADATA_AUTHORIZATION``.
    public static let METADATA_RESOURCE_ID_KEY = "resourceID"
    /// The key of the name, for ``METADATA_USER_META``.
    public static let METADATA_USER_META_KEY = "userMetadataName"
    /// The expiry of the authentication token.
    public static let METADATA_AUTHENTICATION = 0
    /// The expiry of the authorization of a resource.
    public static let METADATA_AUTHORIZATION = 1
    /// The device's id.
    public static let METADATA_DEVICE_ID = 2
    /// The TV provider's metadata about the user.
    public static let METADATA_USER_META = 3

    /// A check whether a user is signed in, or the end of a sign-in.
    public static let TRACKING_AUTHENTICATION = 0
    /// A check whether a resource may be watched.
    public static let TRACKING_AUTHORIZATION = 1
    /// A selection of a TV provider, or a read of the selected one.
    public static let TRACKING_GET_SELECTED_PROVIDER = 2
}

extension TrackingEvent {
    /// The number of the event in `sendTrackingData`.
    public var number: Int {
        switch self {
        case .authentication: EntitlementConstant.TRACKING_AUTHENTICATION
        case .authorization: EntitlementConstant.TRACKING_AUTHORIZATION
        case .selectedProvider: EntitlementConstant.TRACKING_GET_SELECTED_PROVIDER
        }
    }
}
