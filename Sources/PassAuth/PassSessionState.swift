/// What the store says of a programmer.
public enum PassSessionState: Sendable {
    /// It is signed in.
    case signedIn(PassSession)
    /// It is signed out.
    case signedOut
    /// The store cannot say.
    case failed(PassStoreError)
}

extension PassSessionState {
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
