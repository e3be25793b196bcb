internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Changes that users make to their own accounts.
extension Directory {
    mutating func lookup(_ caller: Caller) -> Reply {
        Reply(members: ["users": .array([caller.account.wire])])
    }

    /// Changes the caller's account. Returns new tokens only if the current ones become invalid.
    mutating func update(_ body: JSONObject, _ caller: Caller, at now: Date) throws(Refusal) -> Reply {
        for name in ["localId", "disableUser", "customAttributes", "validSince"] where body.members[name] != nil {
            throw Refusal("INSUFFICIENT_PERMISSION")
        }
        var account = caller.account
        var isRenewal = false
        if let name = body.string("displayName") {
            guard name.count <= 256 else { throw Refusal("INVALID_DISPLAY_NAME") }
            account.displayName = name
        }
        if let url = body.string("photoUrl") {
            guard url.utf8.count <= 2048 else { throw Refusal("INVALID_PHOTO_URL") }
            account.photoURL = url
        }
        if let text = body.string("email") {
            let email = try Self.email(text)
            if email != account.email {
                try changeEmail(of: &account, to: email, caller, at: now)
                isRenewal = true
            }
        }
        if body.string("password") != nil {
            try checkRecency(of: caller, at: now)
            let password = try newPassword(body)
            if settings.protectsAddresses, account.password == nil {
                throw Refusal("OPERATION_NOT_ALLOWED", "Link a password through sign-up with the ID token.")
            }
            account.password = Account.StoredPassword(password, at: now)
            note(.passwordChanged, account.uid)
            isRenewal = true
        }
        for attribute in body.strings("deleteAttribute") ?? [] {
            switch attribute {
            case "DISPLAY_NAME": account.displayName = nil
            case "PHOTO_URL": account.photoURL = nil
            case "EMAIL": account.email = nil
            case "PASSWORD": account.password = nil
            default: break
            }
        }
        for provider in body.strings("deleteProvider") ?? [] {
            account.providers.removeAll { $0.identity.providerID == provider }
            if provider == "password" {
                account.password = nil
                account.signsInByLink = false
            }
            note(.unlinked, account.uid, provider)
        }
        accounts[account.uid] = account
        var reply = Reply(grant: isRenewal ? renew(caller.session, at: now) : nil)
        reply.members = ["localId": .string(account.uid), "providerUserInfo": .array(account.providerInfo)]
        reply.members.set("email", account.email)
        reply.members.set("displayName", account.displayName)
        reply.members.set("photoUrl", account.photoURL)
        if account.isEmailVerified { reply.members["emailVerified"] = .bool(true) }
        return reply
    }

    private func changeEmail(
        of account: inout Account,
        to email: String,
        _ caller: Caller,
        at now: Date
    ) throws(Refusal) {
        if settings.protectsAddresses {
            throw Refusal("OPERATION_NOT_ALLOWED", "Please verify the new email before changing email.")
        }
        try checkRecency(of: caller, at: now)
        guard self.account(ofEmail: email, tenantID: account.tenantID) == nil else { throw Refusal("EMAIL_EXISTS") }
        account.email = email
        account.isEmailVerified = false
    }

    /// Deletes the caller's account.
    mutating func delete(_ caller: Caller, at now: Date) throws(Refusal) -> Reply {
        guard settings.allowsSignUp else { throw Refusal("ADMIN_ONLY_OPERATION") }
        try checkRecency(of: caller, at: now)
        remove(caller.account.uid)
        return Reply()
    }

    /// Deletes an account. Keeps its sessions, so that their tokens are distinguished from unknown tokens.
    mutating func remove(_ uid: String) {
        accounts[uid] = nil
        codes.removeAll { $0.uid == uid }
        note(.deleted, uid)
    }

    /// Returns the sign-in methods of an address, or nothing if addresses are protected.
    func methods(of body: JSONObject) throws(Refusal) -> Reply {
        guard let identifier = body.string("identifier"), Self.isEmail(identifier) else {
            throw Refusal("INVALID_IDENTIFIER")
        }
        if body.string("continueUri") == nil { throw Refusal("MISSING_CONTINUE_URI") }
        if settings.protectsAddresses { return Reply() }
        guard let account = account(ofEmail: identifier.lowercased(), tenantID: try tenant(body)) else {
            return Reply(members: ["registered": .bool(false)])
        }
        var methods = account.providers.map(\.identity.providerID)
        if account.signsInByLink { methods.insert("emailLink", at: 0) }
        if account.password != nil { methods.insert("password", at: 0) }
        var providers = methods
        if let place = providers.firstIndex(of: "emailLink") {
            providers[place] = "password"
            if providers.count(where: { $0 == "password" }) > 1 { providers.remove(at: place) }
        }
        return Reply(members: [
            "registered": .bool(true), "signinMethods": .array(methods.map { .string($0) }),
            "allProviders": .array(providers.map { .string($0) }),
        ])
    }
}
