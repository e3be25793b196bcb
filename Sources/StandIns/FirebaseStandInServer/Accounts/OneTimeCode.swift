package import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The code of an e-mail. The stand-in sends no e-mails.
package struct OneTimeCode: Sendable {
    /// The purpose of the code.
    package enum Kind: String, Sendable {
        case passwordReset = "PASSWORD_RESET"
        case verifyEmail = "VERIFY_EMAIL"
        case emailSignIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
        case recoverEmail = "RECOVER_EMAIL"

        /// The value of `mode` in a link.
        package var mode: String {
            switch self {
            case .passwordReset: "resetPassword"
            case .verifyEmail: "verifyEmail"
            case .emailSignIn: "signIn"
            case .changeEmail: "verifyAndChangeEmail"
            case .recoverEmail: "recoverEmail"
            }
        }
    }

    package let kind: Kind
    package let code: String
    /// The account's address; for an address change, the old one.
    package let email: String
    /// The address that the code gives to the account; for a recovery, the one before the change.
    package let newEmail: String?
    package let tenantID: String?
    package let continueURL: String?
    package let expires: Date
    /// The language of the e-mail.
    package let language: String
    let uid: String?
}

extension Directory {
    /// Creates the code of an e-mail. The e-mail is not sent; the code can be read from ``codes``.
    mutating func sendCode(
        _ body: JSONObject,
        _ caller: Caller?,
        language: String?,
        at now: Date
    ) throws(Refusal) -> Reply {
        guard let word = body.string("requestType") else { throw Refusal("MISSING_REQ_TYPE") }
        guard let kind = OneTimeCode.Kind(rawValue: word), kind != .recoverEmail else {
            throw Refusal("INVALID_REQ_TYPE")
        }
        try checkSettings(body, isSignIn: kind == .emailSignIn)
        var account = caller?.account
        var newEmail: String?
        let email: String
        switch kind {
        case .passwordReset, .emailSignIn:
            email = try Self.email(body.string("email"))
            account = self.account(ofEmail: email, tenantID: try tenant(body))
            if kind == .passwordReset, account == nil {
                guard settings.protectsAddresses else { throw Refusal("EMAIL_NOT_FOUND") }
                // Hides that the address has no account.
                return Reply(members: ["email": .string(email)])
            }
        case .verifyEmail, .changeEmail, .recoverEmail:
            guard let caller else { throw Refusal("MISSING_ID_TOKEN") }
            guard let own = caller.account.email else { throw Refusal("MISSING_EMAIL") }
            email = own
            if kind == .changeEmail {
                try checkRecency(of: caller, at: now)
                let wanted = try Self.email(body.string("newEmail"))
                newEmail = wanted
                guard self.account(ofEmail: wanted, tenantID: caller.account.tenantID) == nil else {
                    guard settings.protectsAddresses else { throw Refusal("EMAIL_EXISTS") }
                    return Reply(members: ["email": .string(email)])
                }
            }
        }
        let code = OneTimeCode(
            kind: kind,
            code: RandomText.make(bytes: 24),
            email: email,
            newEmail: newEmail,
            tenantID: account?.tenantID ?? body.string("tenantId"),
            continueURL: body.string("continueUrl"),
            expires: now.addingTimeInterval(Double(settings.codeSeconds)),
            language: language ?? "en",
            uid: account?.uid
        )
        codes.append(code)
        note(.mail, account?.uid, kind.rawValue)
        return Reply(members: ["email": .string(email)])
    }

    private func checkSettings(_ body: JSONObject, isSignIn: Bool) throws(Refusal) {
        guard let url = body.string("continueUrl") else {
            if isSignIn { throw Refusal("MISSING_CONTINUE_URI") }
            return
        }
        guard let host = URL(string: url)?.host() else { throw Refusal("INVALID_CONTINUE_URI") }
        guard settings.authorizedDomains.contains(where: { host == $0 || host.hasSuffix(".\($0)") }) else {
            throw Refusal("UNAUTHORIZED_DOMAIN", "DOMAIN_NOT_WHITELISTED")
        }
        if body.string("androidInstallApp") != nil || body.bool("androidInstallApp") == true,
            body.string("androidPackageName") == nil
        {
            throw Refusal("MISSING_ANDROID_PACKAGE_NAME")
        }
    }

    /// Returns a valid code.
    func code(
        _ text: String?,
        for kinds: Set<OneTimeCode.Kind>? = nil,
        tenantID: String?,
        at now: Date
    ) throws(Refusal) -> OneTimeCode {
        guard let text else { throw Refusal("MISSING_OOB_CODE") }
        guard let code = codes.first(where: { $0.code == text }), kinds?.contains(code.kind) != false else {
            throw Refusal("INVALID_OOB_CODE")
        }
        guard code.tenantID == tenantID else { throw Refusal("TENANT_ID_MISMATCH") }
        guard code.expires > now else { throw Refusal("EXPIRED_OOB_CODE") }
        return code
    }

    /// Removes a code, because it can be used once.
    mutating func use(_ code: OneTimeCode) { codes.removeAll { $0.code == code.code } }

    /// Returns the purpose of a code. If the call has a new password, sets it.
    mutating func resetPassword(_ body: JSONObject, at now: Date) throws(Refusal) -> Reply {
        let isCheck = body.string("newPassword") == nil
        let tenant = try tenant(body)
        let code = try code(
            body.string("oobCode"),
            for: isCheck ? nil : [.passwordReset],
            tenantID: tenant,
            at: now
        )
        var members: [String: JSONValue] = ["requestType": .string(code.kind.rawValue)]
        // Like Google, does not reveal to a holder of the link which user it signs in.
        if code.kind != .emailSignIn { members["email"] = .string(code.email) }
        members.set("newEmail", code.newEmail)
        if isCheck { return Reply(members: members) }
        let password = try newPassword(body, named: "newPassword")
        guard let uid = code.uid, let account = accounts[uid] else { throw Refusal("USER_NOT_FOUND") }
        if account.isDisabled { throw Refusal("USER_DISABLED") }
        use(code)
        accounts[uid]?.password = Account.StoredPassword(password, at: now)
        accounts[uid]?.isEmailVerified = true
        accounts[uid]?.failures = []
        endSessions(of: uid, at: now)
        note(.passwordChanged, uid)
        return Reply(members: members)
    }

    /// Executes the action of a code, except a new password or a sign-in.
    mutating func applyCode(_ body: JSONObject, at now: Date) throws(Refusal) -> Reply {
        let tenant = try tenant(body)
        let kinds: Set<OneTimeCode.Kind> = [.verifyEmail, .changeEmail, .recoverEmail]
        let code = try code(body.string("oobCode"), for: kinds, tenantID: tenant, at: now)
        guard let uid = code.uid, var account = accounts[uid] else { throw Refusal("USER_NOT_FOUND") }
        switch code.kind {
        case .verifyEmail where account.email != code.email:
            throw Refusal("INVALID_OOB_CODE", "The account has another address now.")
        case .changeEmail, .recoverEmail:
            guard let email = code.newEmail else { throw Refusal("INVALID_OOB_CODE") }
            guard self.account(ofEmail: email, tenantID: tenant) == nil else { throw Refusal("EMAIL_EXISTS") }
            if code.kind == .changeEmail { codes.append(.recovery(of: account, from: email, at: now)) }
            account.email = email
        default: break
        }
        account.isEmailVerified = true
        use(code)
        accounts[uid] = account
        if code.kind != .verifyEmail { endSessions(of: uid, at: now) }
        note(.codeApplied, uid, code.kind.rawValue)
        var reply = Reply(members: ["localId": .string(uid), "emailVerified": .bool(true)])
        reply.members.set("email", account.email)
        return reply
    }
}

extension OneTimeCode {
    /// Returns the code sent to the old address of an account after an address change.
    fileprivate static func recovery(of account: Account, from email: String, at now: Date) -> OneTimeCode {
        OneTimeCode(
            kind: .recoverEmail,
            code: RandomText.make(bytes: 24),
            email: email,
            newEmail: account.email,
            tenantID: account.tenantID,
            continueURL: nil,
            expires: now.addingTimeInterval(86_400),
            language: "en",
            uid: account.uid
        )
    }
}
