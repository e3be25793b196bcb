package import SharedAuth

/// A refresh token of the test's identity provider: `UID/NUMBER`, and perhaps `.TENANT` and `@ISSUER`.
package struct SessionToken: Sendable, Hashable {
    package let uid: String
    package let number: String
    package let tenant: String?
    package let issuer: String?

    /// Reads a token. Text without a slash is a uid.
    package init(_ text: String) {
        let owned = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let issued = (owned.count > 1 ? owned[1] : "").split(separator: "@", maxSplits: 1).map(String.init)
        let numbered = (issued.first ?? "").split(separator: ".", maxSplits: 1).map(String.init)
        uid = owned[0]
        number = numbered.first ?? ""
        tenant = numbered.count > 1 ? numbered[1] : nil
        issuer = issued.count > 1 ? issued[1] : nil
    }

    package init(uid: String, number: String, tenant: String? = nil, issuer: String? = nil) {
        (self.uid, self.number, self.tenant, self.issuer) = (uid, number, tenant, issuer)
    }

    /// The token as text.
    package var text: String { "\(uid)/\(number)" + (tenant.map { ".\($0)" } ?? "") + (issuer.map { "@\($0)" } ?? "") }

    /// The uid and the issuer, which together name the account.
    package var account: String { uid + (issuer.map { "@\($0)" } ?? "") }
}

/// The content of a slot as the value of a register: the tokens of its accounts, the current one's first. Without a
/// current account, the text begins with a dash. Nil is an empty slot.
package enum SlotText {
    package static func of(_ record: UserRecord) -> String? {
        if record.accounts.isEmpty { return nil }
        let current = record.currentAccount
        let others = record.accounts.filter { $0.id != current?.id }.map(token).sorted()
        return ([current.map(token) ?? "-"] + others).joined(separator: " ")
    }

    /// Returns the tokens of a value.
    package static func tokens(of value: String?) -> [String] {
        (value ?? "").split(separator: " ").map(String.init).filter { $0 != "-" }
    }

    /// Returns the current account's token.
    package static func current(of value: String?) -> String? {
        value?.split(separator: " ").first.map(String.init).flatMap { $0 == "-" ? nil : $0 }
    }

    private static func token(of account: Account) -> String { account.tokens.refreshToken ?? "?" }
}
