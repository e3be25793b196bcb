package import SharedAuth

/// In tests, a bare uid is an account without an issuer.
extension AccountID: ExpressibleByStringLiteral {
    /// Makes an account ID with this uid and without an issuer.
    package init(stringLiteral uid: String) { self.init(uid: uid, issuer: nil) }
}
