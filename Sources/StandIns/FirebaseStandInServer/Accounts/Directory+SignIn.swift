internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Sign-up and sign-in with a password, an e-mail link or a custom token, and anonymous sign-up.
extension Directory {
    /// Creates an account, or adds an address and a password to the caller's account.
    mutating func signUp(_ body: JSONObject, _ caller: Caller?, at now: Date) throws(Refusal) -> Reply {
        if let caller { return try addPassword(body, caller, at: now) }
        let tenant = try tenant(body)
        guard settings.allowsSignUp else { throw Refusal("ADMIN_ONLY_OPERATION") }
        var account = Account(uid: Self.newUID(), tenantID: tenant, at: now)
        if body.string("email") == nil, body.string("password") == nil {
            guard settings.allowsAnonymousUsers else { throw Refusal("ADMIN_ONLY_OPERATION") }
            accounts[account.uid] = account
            var reply = try signIn(account.uid, by: "anonymous", isNew: true, at: now)
            reply.members["localId"] = .string(account.uid)
            return reply
        }
        let email = try Self.email(body.string("email"))
        let password = try newPassword(body)
        guard self.account(ofEmail: email, tenantID: tenant) == nil else { throw Refusal("EMAIL_EXISTS") }
        account.email = email
        account.initialEmail = email
        account.displayName = body.string("displayName")
        account.password = Account.StoredPassword(password, at: now)
        accounts[account.uid] = account
        var reply = try signIn(account.uid, by: "password", isNew: true, at: now)
        reply.members["localId"] = .string(account.uid)
        reply.members.set("email", email)
        reply.members.set("displayName", account.displayName)
        return reply
    }

    private mutating func addPassword(
        _ body: JSONObject,
        _ caller: Caller,
        at now: Date
    ) throws(Refusal) -> Reply {
        try checkRecency(of: caller, at: now)
        let email = try Self.email(body.string("email"))
        let password = try newPassword(body)
        let uid = caller.account.uid
        if let other = account(ofEmail: email, tenantID: caller.account.tenantID), other.uid != uid {
            throw Refusal("EMAIL_EXISTS")
        }
        if caller.account.email != email { accounts[uid]?.isEmailVerified = false }
        accounts[uid]?.email = email
        accounts[uid]?.password = Account.StoredPassword(password, at: now)
        note(.linked, uid, "password")
        var reply = Reply(grant: renew(caller.session, at: now))
        reply.members = ["localId": .string(uid), "email": .string(email)]
        reply.members.set("displayName", accounts[uid]?.displayName)
        return reply
    }

    /// Returns the new password in a call, if it meets the policy.
    func newPassword(_ body: JSONObject, named name: String = "password") throws(Refusal) -> String {
        guard let password = body.string(name) else { throw Refusal("MISSING_PASSWORD") }
        try settings.passwordPolicy.check(password)
        return password
    }

    /// Signs in with a password. If addresses are protected, an unknown address and a wrong password throw the same
    /// error.
    mutating func signInWithPassword(_ body: JSONObject, at now: Date) throws(Refusal) -> Reply {
        let email = try Self.email(body.string("email"))
        guard let password = body.string("password") else { throw Refusal("MISSING_PASSWORD") }
        guard let account = account(ofEmail: email, tenantID: try tenant(body)) else {
            throw Refusal(settings.protectsAddresses ? "INVALID_LOGIN_CREDENTIALS" : "EMAIL_NOT_FOUND")
        }
        let recent = account.failures.filter { now.timeIntervalSince($0) < 300 }
        guard recent.count < settings.attemptLimit else {
            throw Refusal("TOO_MANY_ATTEMPTS_TRY_LATER", "Too many unsuccessful login attempts.")
        }
        guard account.password?.matches(password) == true else {
            accounts[account.uid]?.failures = recent + [now]
            note(.wrongPassword, account.uid)
            throw Refusal(settings.protectsAddresses ? "INVALID_LOGIN_CREDENTIALS" : "INVALID_PASSWORD")
        }
        accounts[account.uid]?.failures = []
        var reply = try signIn(account.uid, by: "password", at: now)
        reply.members["localId"] = .string(account.uid)
        reply.members["registered"] = .bool(true)
        reply.members.set("email", email)
        reply.members.set("displayName", account.displayName)
        reply.members.set("profilePicture", account.photoURL)
        return reply
    }

    /// Signs in with the code of an e-mail, or adds its address to the caller's account.
    mutating func signInWithEmailLink(
        _ body: JSONObject,
        _ caller: Caller?,
        at now: Date
    ) throws(Refusal) -> Reply {
        let email = try Self.email(body.string("email"))
        let tenant = if let caller { caller.account.tenantID } else { try tenant(body) }
        let code = try code(body.string("oobCode"), for: [.emailSignIn], tenantID: tenant, at: now)
        guard code.email == email else { throw Refusal("INVALID_EMAIL", "The link was sent to another address.") }
        let holder = account(ofEmail: email, tenantID: tenant)
        if let caller, let holder, holder.uid != caller.account.uid { throw Refusal("EMAIL_EXISTS") }
        if caller == nil, holder == nil, !settings.allowsSignUp { throw Refusal("ADMIN_ONLY_OPERATION") }
        use(code)
        let found = caller?.account ?? holder
        var account = found ?? Account(uid: Self.newUID(), tenantID: tenant, at: now)
        account.email = email
        account.isEmailVerified = true
        account.signsInByLink = true
        accounts[account.uid] = account
        var reply: Reply
        if let caller {
            note(.linked, account.uid, "password")
            reply = Reply(grant: renew(caller.session, at: now))
        } else {
            reply = try signIn(account.uid, by: "password", isNew: found == nil, at: now)
        }
        reply.members["localId"] = .string(account.uid)
        reply.members["email"] = .string(email)
        if found == nil { reply.members["isNewUser"] = .bool(true) }
        return reply
    }

    /// Signs in with a custom token of a back end.
    mutating func signInWithCustomToken(
        _ token: [String: JSONValue],
        _ body: JSONObject,
        at now: Date
    ) throws(Refusal) -> Reply {
        guard let uid = token["uid"]?.string, !uid.isEmpty, uid.utf8.count <= 128 else {
            throw Refusal("INVALID_CUSTOM_TOKEN", "The uid is missing or too long.")
        }
        let tenant = token["tenant_id"]?.string
        guard tenant == (try self.tenant(body)) else { throw Refusal("TENANT_ID_MISMATCH") }
        let isNew = accounts[uid] == nil
        var account = accounts[uid] ?? Account(uid: uid, tenantID: tenant, at: now)
        guard account.tenantID == tenant else { throw Refusal("TENANT_ID_MISMATCH") }
        account.isCustom = true
        accounts[uid] = account
        var claims: [String: JSONValue] = [:]
        if case .object(let members)? = token["claims"] { claims = members }
        var reply = try signIn(uid, by: "custom", claims: claims, isNew: isNew, at: now)
        if isNew { reply.members["isNewUser"] = .bool(true) }
        return reply
    }
}
