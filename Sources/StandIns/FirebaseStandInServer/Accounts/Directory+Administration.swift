internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The calls of the project's back end, which sends `Authorization: Bearer owner`.
extension Directory {
    mutating func administer(_ operation: String, _ body: JSONObject, at now: Date) throws(Refusal) -> Reply {
        switch operation {
        case "accounts:lookup":
            let ids = Set(body.strings("localId") ?? [])
            let emails = Set((body.strings("email") ?? []).map { $0.lowercased() })
            let found = accounts.values.filter { account in
                ids.contains(account.uid) || account.email.map { emails.contains($0) } == true
            }
            return Reply(members: ["users": .array(found.sorted { $0.created < $1.created }.map(\.wire))])
        case "accounts:update":
            return try administerUpdate(body, at: now)
        case "accounts:delete":
            let uid = try self.uid(body)
            remove(uid)
            return Reply()
        default:
            throw .notFound("The back-end call")
        }
    }

    private mutating func administerUpdate(_ body: JSONObject, at now: Date) throws(Refusal) -> Reply {
        let uid = try uid(body)
        if let email = body.string("email") { accounts[uid]?.email = try Self.email(email) }
        if let isVerified = body.bool("emailVerified") { accounts[uid]?.isEmailVerified = isVerified }
        if let isDisabled = body.bool("disableUser") {
            accounts[uid]?.isDisabled = isDisabled
            note(isDisabled ? .disabled : .enabled, uid)
        }
        if let text = body.string("customAttributes") {
            guard let claims = JSONObject(text.utf8), text.utf8.count <= 1000 else { throw Refusal("INVALID_CLAIMS") }
            accounts[uid]?.customClaims = claims.members
        }
        if body.string("password") != nil {
            let password = try newPassword(body)
            accounts[uid]?.password = Account.StoredPassword(password, at: now)
            endSessions(of: uid, at: now)
            note(.passwordChanged, uid)
        }
        if body.members["validSince"] != nil {
            // Ends all sessions regardless of the date, because a call is also meant for those of the current second.
            endSessions(of: uid, at: now)
            note(.revoked, uid)
        }
        return Reply(members: ["localId": .string(uid)])
    }

    private func uid(_ body: JSONObject) throws(Refusal) -> String {
        guard let uid = body.string("localId") else { throw Refusal("MISSING_LOCAL_ID") }
        guard accounts[uid] != nil else { throw Refusal("USER_NOT_FOUND") }
        return uid
    }
}
