/// A layout of Pass's own SDK, from version to version: each is one of ``PassTokenStore``.
///
/// Layouts do not see one another. What an earlier one holds is imported on configuration, and stays there too: an app
/// that goes back to an earlier version finds its old tokens again, and none of the new ones.
@frozen
public enum StorageGeneration: Sendable, Hashable, CaseIterable {
    /// One token for every programmer (up to 1.6): a second sign-in replaces it. The tokens of TV providers that want
    /// one for each programmer (``MVPDIntegration/isPerRequestor``) are not among them: each has a place in a file
    /// of the app's own.
    case singleSlot
    /// One token for each programmer, private to the app (up to 1.6, with authentication per requestor for all TV providers).
    case perProgrammer
    /// A bucket for each programmer and TV provider (1.7 to 3.6).
    case buckets
    /// Buckets set apart from all earlier ones (from 3.7.0).
    case separateBuckets
    /// Buckets private to the app (tvOS).
    case privateBuckets

    /// Whether tokens belong to one app, whatever group it is in.
    public var isPrivate: Bool {
        switch self {
        case .perProgrammer, .privateBuckets: true
        case .singleSlot, .buckets, .separateBuckets: false
        }
    }

    /// The number of the layout, in every payload.
    var schema: Int {
        switch self {
        case .singleSlot, .perProgrammer: 1
        case .buckets, .privateBuckets: 2
        case .separateBuckets: 3
        }
    }

    /// The beginning of the kinds of the layout's records.
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

    /// Returns the id of a bucket of the layout: a token replaces the content of its bucket.
    ///
    /// - Parameter app: The app that has its sign-ins to itself; nil where all apps have them in common.
    func bucket(requestor: String, mvpd: String, device: String, app: String?) -> [String] {
        switch self {
        case .singleSlot: []
        case .perProgrammer: [requestor]
        case .privateBuckets: [requestor, mvpd, device]
        case .buckets, .separateBuckets: [requestor, mvpd, device] + [app].compactMap(\.self)
        }
    }
}
