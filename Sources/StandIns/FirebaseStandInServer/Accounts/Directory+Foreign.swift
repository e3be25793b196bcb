internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Sign-in with tokens of other services.
extension Directory {
    /// Signs in with a checked identity, or links it to the caller's account.
    mutating func signInWithIdp(
        _ identity: ForeignIdentity,
        _ body: JSONObject,
        _ caller: Caller?,
        at now: Date
    ) throws(Refusal) -> Reply {
        let tenant = if let caller { caller.account.tenantID } else { try tenant(body) }
        let isDetailed = body.bool("returnIdpCredential") == true
        let holder = account(of: identity, tenantID: tenant)
        if let caller { return try link(identity, to: caller, holder, isDetailed, at: now) }
        if let holder { return try signIn(holder.uid, with: identity, at: now) }
        let named =
            settings.allowsDuplicateAddresses
            ? nil : identity.email.flatMap { self.account(ofEmail: $0, tenantID: tenant) }
        if let named {
            guard identity.isEmailVerified else { return confirmation(identity, of: named) }
            if !named.isEmailVerified { takeOver(named.uid, at: now) }
            attach(identity, to: named.uid)
            return try signIn(named.uid, with: identity, at: now)
        }
        guard body.bool("autoCreate") != false else { throw Refusal("USER_NOT_FOUND") }
        guard settings.allowsSignUp else { throw Refusal("ADMIN_ONLY_OPERATION") }
        var account = Account(uid: Self.newUID(), tenantID: tenant, at: now)
        account.email = identity.email
        account.initialEmail = identity.email
        account.isEmailVerified = identity.isEmailVerified
        accounts[account.uid] = account
        attach(identity, to: account.uid)
        return try signIn(account.uid, with: identity, isNew: true, at: now)
    }

    private mutating func signIn(
        _ uid: String,
        with identity: ForeignIdentity,
        isNew: Bool = false,
        at now: Date
    ) throws(Refusal) -> Reply {
        var reply = try signIn(uid, by: identity.providerID, isNew: isNew, at: now)
        reply.members.merge(identity.members) { own, _ in own }
        reply.members["localId"] = .string(uid)
        if isNew { reply.members["isNewUser"] = .bool(true) }
        reply.members.set("tenantId", accounts[uid]?.tenantID)
        return reply
    }

    private mutating func link(
        _ identity: ForeignIdentity,
        to caller: Caller,
        _ holder: Account?,
        _ isDetailed: Bool,
        at now: Date
    ) throws(Refusal) -> Reply {
        let uid = caller.account.uid
        var obstacle: String?
        if let holder, holder.uid != uid { obstacle = "FEDERATED_USER_ID_ALREADY_LINKED" }
        if obstacle == nil, !settings.allowsDuplicateAddresses, let email = identity.email,
            let other = account(ofEmail: email, tenantID: caller.account.tenantID), other.uid != uid
        {
            obstacle = "EMAIL_EXISTS"
        }
        if let obstacle {
            guard isDetailed else { throw Refusal(obstacle) }
            return Reply(members: pending(identity).merging(["errorMessage": .string(obstacle)]) { own, _ in own })
        }
        attach(identity, to: uid)
        note(.linked, uid, identity.providerID)
        var reply = Reply(members: identity.members, grant: renew(caller.session, at: now))
        reply.members["localId"] = .string(uid)
        return reply
    }

    /// Returns the reply that asks for confirmation: an account has the identity's address, which the other service has
    /// not verified.
    private mutating func confirmation(_ identity: ForeignIdentity, of account: Account) -> Reply {
        var members = pending(identity)
        members["needConfirmation"] = .bool(true)
        var ways = account.providers.map { JSONValue.string($0.identity.providerID) }
        if account.password != nil { ways.append(.string("password")) }
        members["verifiedProvider"] = .array(ways)
        return Reply(members: members)
    }

    /// Returns the members of a reply with a pending token, which the client can send in a later call.
    private mutating func pending(_ identity: ForeignIdentity) -> [String: JSONValue] {
        let token = RandomText.make(bytes: 24)
        pendingCredentials[token] = identity
        return identity.members.merging(["pendingToken": .string(token)]) { own, _ in own }
    }

    /// Gives an account with an unverified address to the user who has verified it: removes its password and providers,
    /// and ends its sessions.
    private mutating func takeOver(_ uid: String, at now: Date) {
        accounts[uid]?.password = nil
        accounts[uid]?.providers = []
        accounts[uid]?.isEmailVerified = true
        endSessions(of: uid, at: now)
    }

    private mutating func attach(_ identity: ForeignIdentity, to uid: String) {
        guard var account = accounts[uid] else { return }
        account.providers.removeAll { $0.identity.providerID == identity.providerID }
        account.providers.append(Account.LinkedProvider(identity: identity))
        account.displayName = account.displayName ?? identity.name
        account.photoURL = account.photoURL ?? identity.picture
        if account.email == nil {
            account.email = identity.email
            account.isEmailVerified = identity.isEmailVerified
        }
        accounts[uid] = account
    }
}
