public import DesktopSupport

/// A programmer's sign-in: its authentication token, either the programmer's own or one that another programmer shares.
/// Its description shows only programmers, TV provider and expiry.
public struct PassSession: Sendable, Hashable {
    /// The programmer that is signed in.
    public let requestor: String
    /// The token.
    public let token: AuthenticationToken
    /// The place of the token's bucket, and the epoch of the session.
    let place: String
    let epoch: UInt64
    /// The number of the sign-in, counted per store.
    let number: UInt64
    /// The layout that stores the token.
    let generation: StorageGeneration

    /// Indicates whether the token was issued to another programmer: single sign-on.
    public var isShared: Bool { token.requestor != requestor }
}

extension PassSession: Redacted {
    /// The programmer and the token's own description.
    public var description: String { "PassSession(\(requestor), \(token))" }
    /// The programmer and the token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["requestor": requestor, "token": token]) }
}

/// The state of a programmer in the store.
@frozen
public enum PassSessionState: Sendable {
    /// The programmer is signed in.
    case signedIn(PassSession)
    /// The programmer is signed out.
    case signedOut
    /// The state could not be read.
    case failed(PassStoreError)

    /// Returns whether both states are the same; two failures are the same if their codes are equal.
    func isSame(as other: PassSessionState) -> Bool {
        switch (self, other) {
        case (.signedIn(let one), .signedIn(let two)): one == two
        case (.signedOut, .signedOut): true
        case (.failed(let one), .failed(let two)): one.code == two.code
        default: false
        }
    }
}
