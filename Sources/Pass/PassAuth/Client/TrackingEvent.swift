/// An event for usage tracking, as the AccessEnabler reports it with `sendTrackingData`.
///
/// It does not identify the user: it holds only a digest of the id that the TV provider uses for them.
@frozen
public enum TrackingEvent: Sendable, Hashable {
    /// A check found a user signed in or not, or a sign-in succeeded or failed.
    case authentication(Check)
    /// The result of an authorization; for a refusal, the error's code and the TV provider's message.
    case authorization(Check, error: String, details: String)
    /// The selected TV provider, or nil.
    case selectedProvider(mvpd: String?)

    /// The values that authentication and authorization have in common.
    public struct Check: Sendable, Hashable {
        /// Indicates whether it succeeded.
        public let succeeded: Bool
        /// The TV provider (MVPD); empty if it is unknown.
        public let mvpd: String
        /// The digest of the user's id; empty if no user is signed in.
        public let userDigest: String
        /// Indicates whether the result is from a stored token.
        public let isFromCache: Bool

        /// Creates a check. For a temporary pass, `userID` is the device's fingerprint, as in Adobe's SDK.
        public init(succeeded: Bool, mvpd: String = "", userID: String? = nil, isFromCache: Bool = false) {
            self.succeeded = succeeded
            self.mvpd = mvpd
            userDigest = userID.map(Digest.trackingID) ?? ""
            self.isFromCache = isFromCache
        }
    }

    /// Returns the event's values in Adobe's order; the last three are the kind of device, the client, and the system.
    public func values(on client: ClientInformation) -> [String] {
        let own: [String] =
            switch self {
            case .authentication(let check): check.values
            case .authorization(let check, let error, let details): check.values + [error, details]
            case .selectedProvider(let mvpd): [mvpd ?? ""]
            }
        return own + [client.trackingDeviceType, "linux", client.systemName]
    }
}

extension TrackingEvent.Check {
    fileprivate var values: [String] { ["\(succeeded)", mvpd, userDigest, "\(isFromCache)"] }
}
