import Crypto
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

@testable import OpenIDConnect

/// Makes the scripted issuer respond as a profile says.
final class ProfiledIssuer: Sendable {
    private struct State {
        /// The nonce and the time of the sign-in.
        var nonce: JSONValue?
        var authTime: JSONValue?
        var isRefresh = false
        var refreshes = 0
        /// The refusals of the next polls.
        var polls: [DeployedIssuer.Refusal] = []
        var refusesUserInfo = false
        var isOutOfOrder = false
        var isEnded = false
        var ed25519: Curve25519.Signing.PrivateKey?
    }

    let profile: DeployedIssuer
    private let issuer: ScriptedIssuer
    private let state = Mutex(State())

    init(_ profile: DeployedIssuer, _ issuer: ScriptedIssuer) {
        (self.profile, self.issuer) = (profile, issuer)
        issuer.change { [self] script in
            script.changeMetadata = { $0 = Self.changed($0, by: self.metadata) }
            script.changeRedirect = { if profile.issuerURL != $0["iss"] { $0["iss"] = nil } }
            script.changeClaims = { [self] in change(&$0) }
            script.changeHeader = { [self] in change(header: &$0) }
            script.changeKeys = { [self] in change(keys: &$0) }
        }
        if profile.ed25519 != nil { renewEd25519() }
    }

    // MARK: What happens at the provider

    func refuseUserInfo(_ refuses: Bool) { state.withLock { $0.refusesUserInfo = refuses } }
    func beOutOfOrder(_ isOutOfOrder: Bool) { state.withLock { $0.isOutOfOrder = isOutOfOrder } }
    func refusePolls(_ refusals: [DeployedIssuer.Refusal]) { state.withLock { $0.polls = refusals } }

    /// Ends the session, as an administrator does or the time.
    func endSession() {
        issuer.change { $0.refreshTokens = [] }
        state.withLock { $0.isEnded = true }
    }

    /// Replaces the keys.
    func rotateKeys() {
        issuer.change { $0.keys = [.init("rotated")] }
        if profile.ed25519 != nil { renewEd25519() }
    }

    private func renewEd25519() {
        let key = Curve25519.Signing.PrivateKey()
        state.withLock { $0.ed25519 = key }
        issuer.change { $0.ed25519 = key }
    }

    // MARK: Responses

    /// Creates the connection to this issuer.
    func front() -> IssuerFront {
        IssuerFront(issuer) { [self] question, usual async throws(HTTPError) in try await answer(question, usual) }
    }

    private func answer(
        _ question: IssuerFront.Question,
        _ usual: IssuerFront.Usual
    ) async throws(HTTPError) -> HTTPResponse {
        switch question.name {
        case "/token authorization_code":
            return try await signIn(usual)
        case "/token refresh_token":
            return try await refresh(question.form, usual)
        case "/token urn:ietf:params:oauth:grant-type:device_code":
            let refusal = state.withLock { $0.polls.isEmpty ? nil : $0.polls.removeFirst() }
            if let refusal { return refusal.response }
            return try await signIn(usual)
        case "/device":
            return try await usual().changed(by: profile.device?.codes ?? [:])
        case "/userinfo":
            return userInfo(try await usual())
        case "/revoke":
            return try await revoke(question.form["token"] ?? "", usual)
        default:
            return try await usual()
        }
    }

    private func signIn(_ usual: IssuerFront.Usual) async throws(HTTPError) -> HTTPResponse {
        state.withLock {
            $0.isRefresh = false
            $0.isEnded = false
        }
        return tokens(try await usual(), for: [])
    }

    private func refresh(
        _ form: [String: String],
        _ usual: IssuerFront.Usual
    ) async throws(HTTPError) -> HTTPResponse {
        if state.withLock({ $0.isOutOfOrder }) { return profile.outage.response }
        let used = form["refresh_token"] ?? ""
        guard issuer.script.withLock({ $0.refreshTokens.contains(used) }) else { return profile.deadSession.response }
        let scopes = Set((form["scope"] ?? "").split(separator: " ").map(String.init))
        if let refusal = profile.unknownScope, !scopes.isSubset(of: profile.narrowerScopes) { return refusal.response }
        let number = state.withLock { state in
            state.isRefresh = true
            state.refreshes += 1
            return state.refreshes
        }
        var answer = tokens(try await usual(), for: scopes)
        let hasIDToken =
            switch profile.idTokenAtRefresh {
            case .always: true
            case .everySecond: number % 2 == 1
            case .withScopeOpenID: scopes.isEmpty || scopes.contains("openid")
            }
        if !hasIDToken { answer = answer.changed(by: ["id_token": nil]) }
        if !profile.rotates {
            let new = JSONObject(answer.body)?.string("refresh_token") ?? ""
            issuer.change { script in
                script.refreshTokens.remove(new)
                script.refreshTokens.insert(used)
            }
            answer = answer.changed(by: ["refresh_token": nil])
        }
        return answer
    }

    private func tokens(_ answer: HTTPResponse, for scopes: Set<String>) -> HTTPResponse {
        let granted = scopes.isEmpty ? Set(profile.scopes) : scopes
        let named: Set<String>? =
            switch profile.namedScopes {
            case .none: nil
            case .requested: Set(granted.map { profile.namesOfScopes[$0] ?? $0 })
            case .ofSignIn: Set(profile.scopes)
            }
        var members = profile.tokenMembers.mapValues(Optional.some)
        members["token_type"] = profile.tokenType
        members["expires_in"] = profile.expiresIn
        members["scope"] = .some(named.map { .string($0.sorted().joined(separator: " ")) })
        return answer.changed(by: members)
    }

    private func userInfo(_ answer: HTTPResponse) -> HTTPResponse {
        guard answer.isSuccess, !state.withLock({ $0.refusesUserInfo }) else { return profile.userInfoRefusal }
        switch profile.userInfo {
        case .claims(let claims): return answer.changed(by: claims.mapValues(Optional.some))
        case .signed:
            // Its signature is not checked, and its claims are not used.
            let token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.AA"
            return HTTPResponse(status: 200, headers: ["Content-Type": "application/jwt"], body: Array(token.utf8))
        case .notOffered: return HTTPResponse(status: 404)
        }
    }

    private func revoke(_ token: String, _ usual: IssuerFront.Usual) async throws(HTTPError) -> HTTPResponse {
        guard let revocation = profile.revocation else { return HTTPResponse(status: 404) }
        let isRefreshToken = token.hasPrefix("refresh-")
        let isKnown = isRefreshToken ? issuer.script.withLock { $0.refreshTokens.contains(token) } : !isEnded
        guard isKnown else { return revocation.unknown?.response ?? revocation.success }
        if !isRefreshToken {
            if let refusal = revocation.accessToken { return refusal.response }
            if revocation.endsSessionWithAccessToken { endSession() }
        }
        _ = try await usual()
        return revocation.success
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    // MARK: Discovery, claims and keys

    private var metadata: [String: JSONValue?] {
        var changes = profile.metadata
        changes["issuer"] = JSONValue.string(profile.issuerURL)
        if profile.device == nil { changes["device_authorization_endpoint"] = .some(nil) }
        if profile.revocation == nil { changes["revocation_endpoint"] = .some(nil) }
        if case .notOffered = profile.userInfo { changes["userinfo_endpoint"] = .some(nil) }
        return changes
    }

    private func change(_ claims: inout [String: JSONValue]) {
        let now = JSONValue.number(issuer.now.timeIntervalSince1970)
        claims = Self.changed(claims, by: profile.claims)
        claims["iss"] = .string(profile.issuerURL)
        claims["exp"] = .number(issuer.now.timeIntervalSince1970 + profile.idTokenLifetime)
        state.withLock { state in
            if !state.isRefresh { (state.nonce, state.authTime) = (claims["nonce"], now) }
            if state.isRefresh, profile.keepsNonce { claims["nonce"] = state.nonce }
            if profile.givesAuthTime { claims["auth_time"] = profile.movesAuthTime ? now : state.authTime }
        }
    }

    private func change(header: inout [String: JSONValue]) {
        if let name = profile.ed25519 { header["alg"] = .string(name) }
    }

    private func change(keys: inout [JSONValue]) {
        // The script is locked here.
        if let key = state.withLock({ $0.ed25519 }) {
            let point = Base64URL.encode(key.publicKey.rawRepresentation)
            keys = keys.map { key in
                .object(["kty": "OKP", "crv": "Ed25519", "kid": key["kid"] ?? .null, "use": "sig", "x": .string(point)])
            }
        }
        keys = profile.otherKeys + keys.map { $0.without(profile.missingKeyLabels) }
    }

    private static func changed(
        _ members: [String: JSONValue],
        by changes: [String: JSONValue?]
    ) -> [String: JSONValue] {
        members.merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key].map { $0 != nil } ?? true }
    }
}

extension JSONValue {
    fileprivate func without(_ names: Set<String>) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !names.contains($0.key) })
    }
}
