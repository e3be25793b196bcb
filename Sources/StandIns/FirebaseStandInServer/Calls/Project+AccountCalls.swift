internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// The clients' account calls.
extension Project {
    func accountCall(_ path: String, _ body: JSONObject, _ request: ServedRequest) async throws(Refusal) -> ServedAnswer
    {
        let claims = try await claims(ofIDTokenIn: body)
        let reply: Directory.Reply
        switch path {
        case "v1/accounts:signInWithCustomToken":
            let token = try await self.claims(ofCustomToken: body.string("token"))
            reply = try withDirectory { directory, now throws(Refusal) in
                try directory.signInWithCustomToken(token, body, at: now)
            }
        case "v1/accounts:signInWithIdp":
            let identity = try await identity(in: body)
            reply = try withDirectory { directory, now throws(Refusal) in
                let caller = try claims.map { claims throws(Refusal) in try directory.caller(claims, at: now) }
                return try directory.signInWithIdp(identity, body, caller, at: now)
            }
        case "v1/accounts:createAuthUri" where body.string("providerId") != nil:
            return .json(.object(try beginRedirect(body, request)))
        default:
            let language = request.headers["X-Firebase-Locale"]
            reply = try withDirectory { directory, now throws(Refusal) in
                let caller = try claims.map { claims throws(Refusal) in try directory.caller(claims, at: now) }
                return try directory.carryOut(path, body, caller, language: language, at: now)
            }
        }
        return try await answer(reply)
    }
}

extension Directory {
    /// Executes the calls that need only the directory.
    fileprivate mutating func carryOut(
        _ path: String,
        _ body: JSONObject,
        _ caller: Caller?,
        language: String?,
        at now: Date
    ) throws(Refusal) -> Reply {
        switch path {
        case "v1/accounts:signUp": return try signUp(body, caller, at: now)
        case "v1/accounts:signInWithPassword": return try signInWithPassword(body, at: now)
        case "v1/accounts:signInWithEmailLink": return try signInWithEmailLink(body, caller, at: now)
        case "v1/accounts:sendOobCode": return try sendCode(body, caller, language: language, at: now)
        case "v1/accounts:resetPassword": return try resetPassword(body, at: now)
        case "v1/accounts:createAuthUri": return try methods(of: body)
        case "v1/accounts:update" where body.string("oobCode") != nil && caller == nil:
            return try applyCode(body, at: now)
        case "v2/accounts/mfaSignIn:finalize": return try finishSignIn(body, at: now)
        case "v2/accounts/mfaSignIn:start":
            throw Refusal("OPERATION_NOT_ALLOWED", "One-time passwords of an app need no start.")
        default: break
        }
        let needsCaller = [
            "v1/accounts:lookup", "v1/accounts:update", "v1/accounts:delete", "v2/accounts:revokeToken",
            "v2/accounts/mfaEnrollment:start", "v2/accounts/mfaEnrollment:finalize",
            "v2/accounts/mfaEnrollment:withdraw",
        ]
        guard needsCaller.contains(path) else { throw .notFound(path) }
        guard let caller else { throw Refusal("MISSING_ID_TOKEN") }
        if let tenant = body.string("tenantId"), tenant != caller.account.tenantID {
            throw Refusal("TENANT_ID_MISMATCH")
        }
        switch path {
        case "v1/accounts:lookup": return lookup(caller)
        case "v1/accounts:update": return try update(body, caller, at: now)
        case "v1/accounts:delete": return try delete(caller, at: now)
        case "v2/accounts/mfaEnrollment:start": return try startEnrollment(body, caller, at: now)
        case "v2/accounts/mfaEnrollment:finalize": return try finishEnrollment(body, caller, at: now)
        case "v2/accounts/mfaEnrollment:withdraw": return try withdraw(body, caller, at: now)
        default:
            // Only Apple's tokens can be revoked.
            guard body.string("providerId") == "apple.com" else { throw Refusal("INVALID_PROVIDER_ID") }
            guard body.string("token") != nil else { throw Refusal("MISSING_TOKEN") }
            return Reply()
        }
    }
}
