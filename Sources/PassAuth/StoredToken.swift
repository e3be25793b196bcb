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
