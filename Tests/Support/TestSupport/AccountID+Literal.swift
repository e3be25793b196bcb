package import SharedAuth

/// In tests a bare uid is an unnamed account.
extension AccountID: ExpressibleByStringLiteral {
    /// An account of this uid, without an issuer.
    package init(stringLiteral uid: String) { self.init(uid: uid, issuer: nil) }
}
