internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// Direct access to the project's accounts and sessions, without calls.
extension StandIn {
    /// Adds an account with an address and a password, and with a second factor if there is a secret, such as
    /// ``newFactorSecret``.
    package func addAccount(_ uid: String, email: String, password: String, factorSecret: String? = nil) {
        change { directory, now in
            var account = Account(uid: uid, tenantID: nil, at: now)
            account.email = email
            account.password = .init(password, at: now)
            if let factorSecret {
                account.factors = [EnrolledFactor(id: "f", name: nil, secret: factorSecret, enrolled: now)]
            }
            directory.accounts[uid] = account
        }
    }

    /// The users, in the order of their creation.
    package var uids: [String] {
        change { directory, _ in directory.accounts.values.sorted { $0.created < $1.created }.map(\.uid) } ?? []
    }

    /// Returns the refresh token of one of the user's active sessions.
    package func refreshToken(of uid: String) -> String? {
        change { directory, _ in directory.sessions.values.first { $0.uid == uid && !$0.isEnded }?.refreshToken } ?? nil
    }

    /// Registers an ID token of another service for a subject. It is accepted without checks.
    package func accept(idToken: String, of subject: String, at providerID: String) {
        var identity = ForeignIdentity(providerID: providerID, subject: subject)
        identity.idToken = idToken
        change { [identity] directory, _ in directory.foreignTokens[idToken] = identity }
    }

    /// Signs a subject in at the page of another service, and returns the address that the page redirects to.
    package func signIn(_ subject: String, at page: String) -> String? {
        let query = page.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let person = FormEncoding.encode([(name: "subject", value: subject)])
        return try? project.foreignPage(FormFields("\(query)&\(person)")).headers["Location"]
    }

    /// A new secret for an authenticator app.
    package static var newFactorSecret: String { TOTP.newSecret() }

    /// Returns the code that an authenticator app shows for a secret.
    package func oneTimePassword(of secret: String) -> String? { TOTP.code(secret: secret, at: now) }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout Directory, Date) -> Value) -> Value? {
        try? project.withDirectory { directory, now throws(Refusal) in body(&directory, now) }
    }
}
