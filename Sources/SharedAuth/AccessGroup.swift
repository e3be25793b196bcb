/// The name under which apps share one signed-in user, e.g. `TEAMID.com.example.group1`.
///
/// A well-formed name has 1 to 255 characters out of `A–Z a–z 0–9 . - _`, and at least two non-empty components
/// separated by dots. An access group is a name and a policy, not a wall: the Secret Service does not keep one
/// unsandboxed app from reading what another stored.
public struct AccessGroup: Sendable, Hashable, CustomStringConvertible {
    /// The name as given.
    public let name: String

    /// Makes an access group of a well-formed name.
    ///
    /// - Throws: `AuthError` with code `invalidAccessGroup` when `name` is empty or malformed.
    public init(_ name: String) throws(AuthError) {
        if let flaw = Identifier.flaw(in: name, leastComponents: 2) {
            throw AuthError(
                .invalidAccessGroup,
                "The access group \(name.debugDescription) \(flaw). "
                    + "Use a name such as TEAMID.com.example.group or group.com.example."
            )
        }
        self.name = name
    }

    /// The name.
    public var description: String { name }
}
