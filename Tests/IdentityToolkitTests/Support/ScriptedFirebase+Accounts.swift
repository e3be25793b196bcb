import Foundation
import SharedAuth
import SharedAuthHTTP

/// What the server does, as the protocol says.
extension ScriptedFirebase.State {
    private typealias Account = ScriptedFirebase.Account

    mutating func answer(to sent: ScriptedFirebase.Sent) -> HTTPResponse {
        if sent.name == "token" { return refresh(Self.form(sent.text)) }
        guard let body = JSONObject(sent.body) else { return .refusal("Invalid JSON payload received.") }
        return switch sent.name {
        case "accounts:signUp": signUp(body)
        case "accounts:signInWithPassword": signInWithPassword(body)
        case "accounts:signInWithCustomToken": signInWithCustomToken(body)
        case "accounts:signInWithIdp": signInWithIdp(body)
        case "accounts:signInWithEmailLink": signInWithEmailLink(body)
        case "accounts:createAuthUri": createAuthURI(body)
        case "mfaSignIn:finalize": finishSecondFactor(body)
        case "mfaEnrollment:start": startEnrollment(body)
        case "mfaEnrollment:finalize": finishEnrollment(body)
        case "mfaEnrollment:withdraw": withdraw(body)
        case "accounts:lookup": lookup(body)
        case "accounts:update": update(body)
        case "accounts:sendOobCode": sendCode(body)
        case "accounts:resetPassword": resetPassword(body)
        case "accounts:delete": delete(body)
        default: .page(404)
        }
    }

    // MARK: Sign-in

    private mutating func signUp(_ body: JSONObject) -> HTTPResponse {
        let email = body.string("email")
        if let email, accounts.values.contains(where: { $0.email == email }) { return .refusal("EMAIL_EXISTS") }
        if email != nil, (body.string("password") ?? "").count < 6 {
            return .refusal("WEAK_PASSWORD : Password should be at least 6 characters")
        }
        if body.members["idToken"] != nil {
            guard let uid = uid(body) else { return refusal(of: body) }
            set(email, body.string("password"), of: uid)
            return tokens(uid, "password")
        }
        let account = Account(email: email, password: body.string("password"), tenantID: body.string("tenantId"))
        return tokens(add(account), email == nil ? "anonymous" : "password", isNew: true)
    }

    private mutating func signInWithPassword(_ body: JSONObject) -> HTTPResponse {
        let found = accounts.first { _, account in
            account.email != nil && account.email == body.string("email")
                && account.tenantID == body.string("tenantId") && account.password == body.string("password")
        }
        guard let (uid, account) = found else { return .refusal("INVALID_LOGIN_CREDENTIALS") }
        if account.isDisabled { return .refusal("USER_DISABLED") }
        if account.factors.isEmpty { return tokens(uid, "password") }
        return .json(
            #"{"localId": "\#(uid)", "mfaPendingCredential": "pending-\#(uid)", "mfaInfo": [\#(factors(of: account))]}"#
        )
    }

    private func factors(of account: Account) -> String {
        account.factors
            .map {
                #"{"mfaEnrollmentId": "\#($0)", "displayName": "Phone", "enrolledAt": "2026-01-02T03:04:05Z", "totpInfo": {}}"#
            }
            .joined(separator: ",")
    }

    private func createAuthURI(_ body: JSONObject) -> HTTPResponse {
        if body.members["providerId"] != nil { return makePage?(body) ?? .refusal("OPERATION_NOT_ALLOWED") }
        guard let email = body.string("identifier"), email.contains("@") else { return .refusal("INVALID_IDENTIFIER") }
        let account = accounts.values.first { $0.email == email && $0.tenantID == body.string("tenantId") }
        let methods = (account?.password == nil ? [] : ["password"]) + (account?.identities.keys.sorted() ?? [])
        let list = methods.map { #""\#($0)""# }.joined(separator: ",")
        return .json(#"{"registered": \#(account != nil), "signinMethods": [\#(list)]}"#)
    }

    private mutating func signInWithCustomToken(_ body: JSONObject) -> HTTPResponse {
        guard let token = body.string("token"), token.hasPrefix("custom-") else {
            return .refusal("INVALID_CUSTOM_TOKEN : Invalid assertion format. 3 dot separated segments required.")
        }
        let uid = String(token.dropFirst("custom-".count))
        let isNew = accounts[uid] == nil
        if isNew { accounts[uid] = Account(tenantID: body.string("tenantId")) }
        // The answer has no localId.
        return tokens(uid, "custom", isNew: isNew, names: false)
    }

    private mutating func signInWithIdp(_ body: JSONObject) -> HTTPResponse {
        let form = Self.form(body.string("postBody") ?? "")
        let stand =
            body.string("pendingToken").map { _ in "google.com" } ?? body.string("sessionId").map { _ in "github.com" }
        guard let provider = form["providerId"] ?? stand,
            let person = form["id_token"] ?? form["access_token"] ?? form["code"] ?? body.string("pendingToken"),
            person.count > 2
        else { return .refusal("INVALID_IDP_RESPONSE : The audience is not authorised.") }
        let owner = accounts.first { $0.value.identities[provider] == person }?.key
        let credential = #""providerId": "\#(provider)", "oauthIdToken": "\#(person)", "oauthAccessToken": "there", "#
        let more =
            credential
            + #""oauthExpireIn": 3599, "screenName": "ada.l", "rawUserInfo": "{\"login\": \"ada\", \"id\": 7}""#
        if body.members["idToken"] != nil {
            guard let uid = uid(body) else { return refusal(of: body) }
            if let owner, owner != uid {
                return .json(
                    #"{"errorMessage": "FEDERATED_USER_ID_ALREADY_LINKED", "email": "ada@example.com", \#(credential) "pendingToken": "\#(person)"}"#
                )
            }
            accounts[uid]?.identities[provider] = person
            return tokens(uid, provider, more: more)
        }
        if let owner { return tokens(owner, provider, more: more) }
        if body.bool("autoCreate") == false { return .refusal("USER_NOT_FOUND") }
        let account = Account(tenantID: body.string("tenantId"), identities: [provider: person])
        return tokens(add(account), provider, isNew: true, more: more)
    }

    private mutating func signInWithEmailLink(_ body: JSONObject) -> HTTPResponse {
        guard let email = body.string("email"), let code = body.string("oobCode"),
            let found = codes[code], found.kind == "EMAIL_SIGNIN"
        else { return .refusal("INVALID_OOB_CODE") }
        guard found.email == email else { return .refusal("INVALID_EMAIL") }
        codes[code] = ("used", "", nil)
        if body.members["idToken"] != nil {
            guard let uid = uid(body) else { return refusal(of: body) }
            accounts[uid]?.email = email
            return tokens(uid, "password")
        }
        let known = accounts.first { $0.value.email == email }?.key
        let account = Account(email: email, isVerified: true, tenantID: body.string("tenantId"))
        return tokens(known ?? add(account), "password", isNew: known == nil)
    }

    private mutating func finishSecondFactor(_ body: JSONObject) -> HTTPResponse {
        guard let pending = body.string("mfaPendingCredential"), pending.hasPrefix("pending-") else {
            return .refusal("INVALID_MFA_PENDING_CREDENTIAL")
        }
        let uid = String(pending.dropFirst("pending-".count))
        guard accounts[uid]?.factors.contains(body.string("mfaEnrollmentId") ?? "") == true else {
            return .refusal("MFA_ENROLLMENT_NOT_FOUND")
        }
        guard accounts[uid]?.tenantID == body.string("tenantId") else { return .refusal("TENANT_ID_MISMATCH") }
        guard JSONObject(body.members["totpVerificationInfo"])?.string("verificationCode") == "123456" else {
            return .refusal("INVALID_CODE")
        }
        let (idToken, refreshToken) = session(uid, "password", secondFactor: "totp")
        return .json(#"{"idToken": "\#(idToken)", "refreshToken": "\#(refreshToken)"}"#)
    }

    private mutating func startEnrollment(_ body: JSONObject) -> HTTPResponse {
        guard uid(body) != nil else { return refusal(of: body) }
        guard body.members["totpEnrollmentInfo"] != nil else { return .refusal("INVALID_ARGUMENT") }
        return .json(
            #"{"totpSessionInfo": {"sharedSecretKey": "SECRETKEY", "verificationCodeLength": 6, "hashingAlgorithm": "SHA1", "periodSec": 30, "sessionInfo": "enrolling", "finalizeEnrollmentTime": "2026-01-02T03:04:05.678Z"}}"#
        )
    }

    private mutating func finishEnrollment(_ body: JSONObject) -> HTTPResponse {
        guard let uid = uid(body) else { return refusal(of: body) }
        let info = JSONObject(body.members["totpVerificationInfo"])
        guard info?.string("sessionInfo") == "enrolling" else { return .refusal("INVALID_SESSION_INFO") }
        guard info?.string("verificationCode") == "123456" else { return .refusal("INVALID_CODE") }
        let factor = "factor-\(next())"
        accounts[uid]?.factors.append(factor)
        // The sessions from before are over.
        accounts[uid]?.generation += 1
        let (idToken, refreshToken) = session(uid, "password")
        return .json(#"{"idToken": "\#(idToken)", "refreshToken": "\#(refreshToken)"}"#)
    }

    private mutating func withdraw(_ body: JSONObject) -> HTTPResponse {
        guard let uid = uid(body) else { return refusal(of: body) }
        guard let place = accounts[uid]?.factors.firstIndex(of: body.string("mfaEnrollmentId") ?? "") else {
            return .refusal("MFA_ENROLLMENT_NOT_FOUND")
        }
        accounts[uid]?.factors.remove(at: place)
        let (idToken, refreshToken) = session(uid, "password")
        return .json(#"{"idToken": "\#(idToken)", "refreshToken": "\#(refreshToken)"}"#)
    }

    // MARK: Accounts

    private func lookup(_ body: JSONObject) -> HTTPResponse {
        guard let uid = uid(body), let account = accounts[uid] else { return refusal(of: body) }
        var members = [#""localId": "\#(uid)", "createdAt": "1700000000000", "lastLoginAt": "1800000000000""#]
        if let email = account.email { members.append(#""email": "\#(email)""#) }
        if account.password != nil { members.append(#""passwordHash": "UkVEQUNURUQ=""#) }
        if account.isVerified { members.append(#""emailVerified": true"#) }
        if let name = account.displayName { members.append(#""displayName": "\#(name)""#) }
        if let tenant = account.tenantID { members.append(#""tenantId": "\#(tenant)""#) }
        members.append(#""providerUserInfo": [\#(providers(of: account))]"#)
        if !account.factors.isEmpty { members.append(#""mfaInfo": [\#(factors(of: account))]"#) }
        return .json(#"{"users": [{\#(members.joined(separator: ","))}]}"#)
    }

    private func providers(of account: ScriptedFirebase.Account) -> String {
        var all = account.identities.sorted { $0.key < $1.key }.map {
            #"{"providerId": "\#($0.key)", "rawId": "\#($0.value)", "federatedId": "https://\#($0.key)/\#($0.value)"}"#
        }
        if let email = account.email, account.password != nil {
            all.append(#"{"providerId": "password", "rawId": "\#(email)", "email": "\#(email)"}"#)
        }
        return all.joined(separator: ",")
    }

    private mutating func update(_ body: JSONObject) -> HTTPResponse {
        if let code = body.string("oobCode") {
            guard let found = codes[code], found.kind != "used" else { return .refusal("INVALID_OOB_CODE") }
            codes[code] = ("used", "", nil)
            for (uid, account) in accounts where account.email == found.email { accounts[uid]?.isVerified = true }
            return .json(#"{"email": "\#(found.email)", "emailVerified": true}"#)
        }
        guard let uid = uid(body) else { return refusal(of: body) }
        if let name = body.string("displayName") { accounts[uid]?.displayName = name }
        if body.strings("deleteAttribute")?.contains("DISPLAY_NAME") == true { accounts[uid]?.displayName = nil }
        let removed = body.strings("deleteProvider") ?? []
        for provider in removed {
            accounts[uid]?.identities[provider] = nil
            if provider == "password" { accounts[uid]?.password = nil }
        }
        let email = body.string("email")
        if let email, accounts.contains(where: { $0.key != uid && $0.value.email == email }) {
            return .refusal("EMAIL_EXISTS")
        }
        if email != nil || body.string("password") != nil {
            set(email, body.string("password"), of: uid)
            return tokens(
                uid,
                "password",
                more: #""providerUserInfo": [\#(providers(of: accounts[uid] ?? Account()))]"#
            )
        }
        return .json(#"{"localId": "\#(uid)"}"#)
    }

    /// Changes how the account is signed in to, which ends all its sessions.
    private mutating func set(_ email: String?, _ password: String?, of uid: String) {
        if let email { accounts[uid]?.email = email }
        if let password { accounts[uid]?.password = password }
        accounts[uid]?.generation += 1
    }

    private mutating func delete(_ body: JSONObject) -> HTTPResponse {
        guard let uid = uid(body) else { return refusal(of: body) }
        accounts[uid] = nil
        return .json(#"{"kind": "identitytoolkit#DeleteAccountResponse"}"#)
    }

    // MARK: Mails

    private mutating func sendCode(_ body: JSONObject) -> HTTPResponse {
        let kind = body.string("requestType") ?? ""
        let holder = uid(body).flatMap { accounts[$0]?.email }
        if body.members["idToken"] != nil, uid(body) == nil { return refusal(of: body) }
        guard let email = holder ?? body.string("email") else { return .refusal("MISSING_EMAIL") }
        codes["code-\(codes.count + 1)"] = (kind, email, body.string("newEmail"))
        return .json(#"{"email": "\#(email)"}"#)
    }

    private mutating func resetPassword(_ body: JSONObject) -> HTTPResponse {
        guard let code = body.string("oobCode"), let found = codes[code], found.kind != "used" else {
            return .refusal("INVALID_OOB_CODE")
        }
        if let password = body.string("newPassword") {
            codes[code] = ("used", "", nil)
            for (uid, account) in accounts where account.email == found.email { set(nil, password, of: uid) }
        }
        let newEmail = found.newEmail.map { #", "newEmail": "\#($0)""# } ?? ""
        return .json(#"{"email": "\#(found.email)", "requestType": "\#(found.kind)"\#(newEmail)}"#)
    }

    // MARK: Tokens

    private mutating func refresh(_ form: [String: String]) -> HTTPResponse {
        guard let token = form["refresh_token"] else { return .refusal("MISSING_REFRESH_TOKEN") }
        guard let found = refreshTokens[token] else { return .refusal("INVALID_REFRESH_TOKEN") }
        guard let account = accounts[found.uid] else { return .refusal("USER_NOT_FOUND") }
        if account.isDisabled { return .refusal("USER_DISABLED") }
        if account.generation != found.generation { return .refusal("TOKEN_EXPIRED") }
        let (idToken, refreshToken) = session(found.uid, found.kind)
        return .json(
            #"{"id_token": "\#(idToken)", "access_token": "\#(idToken)", "refresh_token": "\#(refreshToken)", "expires_in": "3600", "token_type": "Bearer", "user_id": "\#(found.uid)", "project_id": "1234"}"#
        )
    }

    private mutating func add(_ account: ScriptedFirebase.Account) -> String {
        let uid = "uid-\(next())"
        accounts[uid] = account
        return uid
    }

    private mutating func tokens(
        _ uid: String,
        _ kind: String,
        isNew: Bool = false,
        names: Bool = true,
        more: String = ""
    ) -> HTTPResponse {
        if accounts[uid]?.isDisabled == true { return .refusal("USER_DISABLED") }
        let (idToken, refreshToken) = session(uid, kind)
        var members = [#""idToken": "\#(idToken)", "refreshToken": "\#(refreshToken)", "expiresIn": "3600""#]
        if names { members.append(#""localId": "\#(uid)""#) }
        if isNew { members.append(#""isNewUser": true"#) }
        if !more.isEmpty { members.append(more) }
        return .json("{\(members.joined(separator: ","))}")
    }

    private mutating func session(
        _ uid: String,
        _ kind: String,
        secondFactor: String? = nil
    ) -> (idToken: String, refreshToken: String) {
        let number = next()
        let account = accounts[uid] ?? Account()
        var identities = account.identities.mapValues { JSONValue.array([.string($0)]) }
        if let email = account.email { identities["email"] = .array([.string(email)]) }
        var firebase: [String: JSONValue] = ["sign_in_provider": .string(kind), "identities": .object(identities)]
        if let tenant = account.tenantID { firebase["tenant"] = .string(tenant) }
        if let secondFactor { firebase["sign_in_second_factor"] = .string(secondFactor) }
        var claims: [String: JSONValue] = [
            "sub": .string(uid), "user_id": .string(uid), "iat": .number(1000), "exp": .number(4600),
            "generation": .number(Double(account.generation)), "number": .number(Double(number)),
            "firebase": .object(firebase),
        ]
        if let email = account.email { claims["email"] = .string(email) }
        if let name = account.displayName { claims["name"] = .string(name) }
        refreshTokens["refresh-\(number)"] = (uid, account.generation, kind)
        return (Self.token(claims), "refresh-\(number)")
    }

    static func token(_ claims: [String: JSONValue]) -> String {
        let payload = (try? JSONEncoder().encode(claims)) ?? Data()
        return "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(Base64URL.encode(payload))."
    }

    private static func claims(_ token: String) -> JSONObject? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? Base64URL.decode(parts[1].utf8).flatMap { JSONObject($0) } : nil
    }

    /// Whose ID token a request has, if it is good.
    private func uid(_ body: JSONObject) -> String? {
        guard let claims = body.string("idToken").flatMap(Self.claims), let uid = claims.string("sub") else {
            return nil
        }
        return accounts[uid].map(\.generation).map(Double.init) == claims.seconds("generation") ? uid : nil
    }

    private func refusal(of body: JSONObject) -> HTTPResponse {
        guard let claims = body.string("idToken").flatMap(Self.claims) else { return .refusal("INVALID_ID_TOKEN") }
        return .refusal(accounts[claims.string("sub") ?? ""] == nil ? "USER_NOT_FOUND" : "TOKEN_EXPIRED")
    }

    private static func form(_ text: String) -> [String: String] {
        var form: [String: String] = [:]
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            form[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return form
    }
}
