/// A token layout of Pass's own SDK, as it changed from version to version. Each layout is a separate
/// ``PassTokenStore``.
///
/// Layouts do not see each other. Tokens of an earlier layout are imported on configuration, and also stay in it: an
/// app that returns to an earlier version finds its old tokens again, and none of the new ones.
@frozen
public enum StorageGeneration: Sendable, Hashable, CaseIterable {
    /// One token for all programmers (up to 1.6): a second sign-in replaces it. The tokens of TV providers that require
    /// one for each programmer (``MVPDIntegration/isPerRequestor``) are stored separately, in a private file of the
    /// app.
    case singleSlot
    /// One token for each programmer, private to the app (up to 1.6, with authentication per requestor for all TV
    /// providers).
    case perProgrammer
    /// A bucket for each programmer and TV provider (1.7 to 3.6).
    case buckets
    /// Buckets separate from all earlier ones (from 3.7.0).
    case separateBuckets
    /// Buckets private to the app (tvOS).
    case privateBuckets

    /// Indicates whether tokens are private to one app, regardless of its group.
    public var isPrivate: Bool {
        switch self {
        case .perProgrammer, .privateBuckets: true
        case .singleSlot, .buckets, .separateBuckets: false
        }
    }

    /// The number of the layout, written in every payload.
    var schema: Int {
        switch self {
        case .singleSlot, .perProgrammer: 1
        case .buckets, .privateBuckets: 2
        case .separateBuckets: 3
        }
    }

    /// The prefix of the kinds of the layout's records.
    var kind: String {
        switch self {
        case .singleSlot: "pass-slot"
        case .perProgrammer: "pass-programmer"
        case .buckets, .privateBuckets: "pass-buckets"
        case .separateBuckets: "pass-separate"
        }
    }

    /// The layouts that tokens are imported from, the latest first.
    var earlier: [StorageGeneration] {
        switch self {
        case .singleSlot, .perProgrammer: []
        case .buckets: [.perProgrammer, .singleSlot]
        case .separateBuckets: [.buckets, .perProgrammer, .singleSlot]
        case .privateBuckets: [.perProgrammer]
        }
    }

    /// Returns the id of a bucket of the layout. A token replaces the content of its bucket.
    ///
    /// - Parameter app: The app whose sign-ins are private; nil if all apps share them.
    func bucket(requestor: String, mvpd: String, device: String, app: String?) -> [String] {
        switch self {
        case .singleSlot: []
        case .perProgrammer: [requestor]
        case .privateBuckets: [requestor, mvpd, device]
        case .buckets, .separateBuckets: [requestor, mvpd, device] + [app].compactMap(\.self)
        }
    }
}
