internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A second factor of an account.
struct EnrolledFactor: Sendable {
    let id: String
    let name: String?
    let secret: String
    let enrolled: Date

    var wire: JSONValue {
        var members: [String: JSONValue] = [
            "mfaEnrollmentId": .string(id), "enrolledAt": .string(enrolled.formatted(.iso8601)),
            "totpInfo": .object([:]),
        ]
        members.set("displayName", name)
        return .object(members)
    }
}

/// A sign-in that waits for the second factor.
struct PendingSignIn: Sendable {
    let uid: String
    let method: String
    let claims: [String: JSONValue]
    let begun: Date
}

/// A second factor that was shown to the user but not confirmed.
struct PendingEnrollment: Sendable {
    let uid: String
    let secret: String
    let expires: Date
}

/// Second factors: one-time passwords of an authenticator app.
extension Directory {
    mutating func startEnrollment(_ body: JSONObject, _ caller: Caller, at now: Date) throws(Refusal) -> Reply {
        guard body.members["totpEnrollmentInfo"] != nil else {
            throw Refusal("OPERATION_NOT_ALLOWED", "One-time passwords are the only second factor here.")
        }
        try checkEnrollment(of: caller, at: now)
        let pending = PendingEnrollment(
            uid: caller.account.uid,
            secret: TOTP.newSecret(),
            expires: now.addingTimeInterval(300)
        )
        let id = RandomText.make(bytes: 24)
        pendingEnrollments[id] = pending
        return Reply(members: [
            "totpSessionInfo": .object([
                "sharedSecretKey": .string(pending.secret),
                "verificationCodeLength": .number(Double(TOTP.digits)),
                "hashingAlgorithm": .string("SHA1"), "periodSec": .number(Double(TOTP.period)),
                "sessionInfo": .string(id),
                "finalizeEnrollmentTime": .string(pending.expires.formatted(.iso8601)),
            ])
        ])
    }

    private func checkEnrollment(of caller: Caller, at now: Date) throws(Refusal) {
        let account = caller.account
        guard !account.isAnonymous, caller.session.method != "custom" else { throw Refusal("UNSUPPORTED_FIRST_FACTOR") }
        guard account.isEmailVerified else { throw Refusal("UNVERIFIED_EMAIL") }
        guard account.factors.isEmpty else { throw Refusal("SECOND_FACTOR_EXISTS") }
        try checkRecency(of: caller, at: now)
    }

    mutating func finishEnrollment(_ body: JSONObject, _ caller: Caller, at now: Date) throws(Refusal) -> Reply {
        let info = JSONObject(body.members["totpVerificationInfo"])
        guard let id = info?.string("sessionInfo"), let pending = pendingEnrollments[id],
            pending.uid == caller.account.uid
        else { throw Refusal("INVALID_SESSION_INFO") }
        guard pending.expires > now else { throw Refusal("SESSION_EXPIRED") }
        try checkEnrollment(of: caller, at: now)
        guard let code = info?.string("verificationCode"), TOTP.matches(code, secret: pending.secret, at: now) else {
            throw Refusal("INVALID_CODE")
        }
        pendingEnrollments[id] = nil
        let factor = EnrolledFactor(
            id: RandomText.make(bytes: 15),
            name: body.string("displayName"),
            secret: pending.secret,
            enrolled: now
        )
        accounts[pending.uid]?.factors.append(factor)
        note(.factorEnrolled, pending.uid)
        return Reply(grant: renew(caller.session, factorID: factor.id, at: now))
    }

    mutating func withdraw(_ body: JSONObject, _ caller: Caller, at now: Date) throws(Refusal) -> Reply {
        guard let id = body.string("mfaEnrollmentId") else { throw Refusal("MISSING_MFA_ENROLLMENT_ID") }
        guard caller.account.factors.contains(where: { $0.id == id }) else { throw Refusal("MFA_ENROLLMENT_NOT_FOUND") }
        try checkRecency(of: caller, at: now)
        accounts[caller.account.uid]?.factors.removeAll { $0.id == id }
        note(.factorWithdrawn, caller.account.uid)
        return Reply(grant: renew(caller.session, factorID: nil, at: now))
    }

    /// Completes a sign-in with a one-time password of the authenticator app.
    mutating func finishSignIn(_ body: JSONObject, at now: Date) throws(Refusal) -> Reply {
        guard let credential = body.string("mfaPendingCredential") else {
            throw Refusal("MISSING_MFA_PENDING_CREDENTIAL")
        }
        guard let pending = pendingSignIns[credential], now.timeIntervalSince(pending.begun) < 600,
            let account = accounts[pending.uid]
        else { throw Refusal("INVALID_MFA_PENDING_CREDENTIAL") }
        guard let id = body.string("mfaEnrollmentId") else { throw Refusal("MISSING_MFA_ENROLLMENT_ID") }
        guard let factor = account.factors.first(where: { $0.id == id }) else {
            throw Refusal("MFA_ENROLLMENT_NOT_FOUND")
        }
        if account.isDisabled { throw Refusal("USER_DISABLED") }
        let code = JSONObject(body.members["totpVerificationInfo"])?.string("verificationCode")
        guard let code, TOTP.matches(code, secret: factor.secret, at: now) else { throw Refusal("INVALID_CODE") }
        pendingSignIns[credential] = nil
        note(.signIn, account.uid, "\(pending.method)+totp")
        return Reply(grant: begin(account.uid, by: pending.method, factorID: id, claims: pending.claims, at: now))
    }
}
