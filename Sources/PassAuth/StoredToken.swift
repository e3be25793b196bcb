/// A token that stands in a store, valid or not, with what was learned with it. Printed, it shows the programmer, the
/// provider and the expiry alone.
public struct StoredToken: Sendable, Hashable {
    /// The token.
    public let token: AuthenticationToken
    /// Whether programmers other than the token's own may use it.
    public let isShared: Bool
    /// What programmers learned with it, by their ids.
    public let caches: [String: SessionCache]
}

extension StoredToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token's own description.
    public var description: String { "StoredToken(\(token))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["token": token]) }
}

/// A token that an index lists and that cannot be read. It stays where it is until its programmer signs in again or the person
/// logs out, and stands in the way of no other token.
public struct UnreadableToken: Sendable, Hashable {
    /// The programmer it was issued to.
    public let requestor: String
    /// The provider (MVPD) that issued it.
    public let mvpd: String
    /// `damaged` or `newerSchema`.
    public let code: PassStoreError.Code
    /// What is wrong with it, for people; nothing of what it holds.
    public let reason: String

    init(_ entry: StoreIndex.Entry, _ error: PassStoreError) {
        (requestor, mvpd) = (entry.requestor, entry.mvpd)
        (code, reason) = (error.code, error.message)
    }
}

/// What stands in a store: the tokens that can be read, and the names of those that cannot.
public struct StoreContents: Sendable, Hashable {
    /// The tokens that can be read, the oldest sign-in first.
    public internal(set) var tokens: [StoredToken] = []
    /// Those that cannot.
    public internal(set) var unreadable: [UnreadableToken] = []

    init() {}
}

extension PassStoreError {
    /// Whether it is about one record, which cannot be understood, and not about the store.
    var isOfOneRecord: Bool { code == .damaged || code == .newerSchema }
}
