/// A programmer's sign-in: the authentication token for it, its own or one that another programmer
/// shares. Printed, it shows programmers, TV provider and expiry alone.
public struct PassSession: Sendable, Hashable {
    /// The programmer that is signed in.
    public let requestor: String
    /// The token.
    public let token: AuthenticationToken
    /// The bucket that the token is in, and the epoch it belongs to.
    let place: String
    let epoch: UInt64
    /// Counts the sign-ins of the store.
    let number: UInt64
    /// The layout that the token is in.
    let generation: StorageGeneration

    /// Whether the token was issued to another programmer: single sign-on.
    public var isShared: Bool { token.requestor != requestor }
}

extension PassSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The programmer and the token's own description.
    public var description: String { "PassSession(\(requestor), \(token))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The programmer and the token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["requestor": requestor, "token": token]) }
}

/// The store's answer about a programmer.
@frozen
public enum PassSessionState: Sendable {
    /// It is signed in.
    case signedIn(PassSession)
    /// It is signed out.
    case signedOut
    /// The store cannot say.
    case failed(PassStoreError)

    /// Whether both say the same; two failures do if their codes are the same.
    func isSame(as other: PassSessionState) -> Bool {
        switch (self, other) {
        case (.signedIn(let one), .signedIn(let two)): one == two
        case (.signedOut, .signedOut): true
        case (.failed(let one), .failed(let two)): one.code == two.code
        default: false
        }
    }
}
