/// An event for an app to count, as the AccessEnabler reports it with `sendTrackingData`.
///
/// Nothing in it says who the person is: a user appears only as a digest of the id that the TV provider knows them by.
@frozen
public enum TrackingEvent: Sendable, Hashable {
    /// Whether a check found a user signed in, or a sign-in succeeded.
    case authentication(Check)
    /// Whether a resource may be watched; of a refusal, the error's code and the TV provider's words for it.
    case authorization(Check, error: String, details: String)
    /// Which TV provider is chosen; nil for none.
    case selectedProvider(mvpd: String?)

    /// The part that authentication and authorization have in common.
    public struct Check: Sendable, Hashable {
        /// Whether it went well.
        public let succeeded: Bool
        /// The TV provider (MVPD); empty when that is not known.
        public let mvpd: String
        /// The digest of the user's id; empty when nobody is signed in.
        public let userDigest: String
        /// Whether the answer came from a stored token.
        public let isFromCache: Bool

        /// Makes a check. For a trial pass, `userID` is the device's fingerprint, as Adobe has it.
        public init(succeeded: Bool, mvpd: String = "", userID: String? = nil, isFromCache: Bool = false) {
            self.succeeded = succeeded
            self.mvpd = mvpd
            userDigest = userID.map(Digest.trackingID) ?? ""
            self.isFromCache = isFromCache
        }
    }

    /// The event's values in Adobe's order, the last three being the kind of device, of client, and the system.
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
