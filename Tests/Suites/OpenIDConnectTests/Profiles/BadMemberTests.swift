import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import Testing

@testable import OpenIDConnect

/// A session at an issuer of whose responses one member is wrong.
private final class BadMemberSession: Sendable {
    private let member: BadMember
    private let world = IssuerFixture()
    private let bad = Mutex<BadValue?>(nil)
    /// What was wrong, and with which values.
    private let complaints = Mutex<[String: [String]]>([:])

    init(_ member: BadMember) {
        self.member = member
        // An ID token is for one access token.
        if member.name == "access_token" { world.issuer.change { $0.changeClaims = { $0["at_hash"] = nil } } }
        guard [.claims, .header].contains(member.place) else { return }
        // Changed before it is signed.
        let change: @Sendable (inout [String: JSONValue]) -> Void = { [self] members in
            if members[member.name] == nil { members[member.name] = member.value }
            if let bad = bad.withLock({ $0 }), !bad.isTwice { members[member.name] = bad.value }
        }
        world.issuer.change { script in
            if member.place == .claims { script.changeClaims = change } else { script.changeHeader = change }
        }
    }

    // MARK: The issuer

    private func answer(
        _ question: IssuerFront.Question,
        _ usual: IssuerFront.Usual
    ) async throws(HTTPError) -> HTTPResponse {
        switch (question.name, member.place) {
        case ("/.well-known/openid-configuration", .discovery), ("/token authorization_code", .signIn),
            ("/userinfo", .userInfo), ("/device", .device):
            return wrong(try await usual())
        case ("/token refresh_token", .refresh):
            let response = wrong(try await usual())
            // An issuer that does not rotate, so that the former token stays valid.
            world.issuer.change { $0.refreshTokens.insert(question.form["refresh_token"] ?? "") }
            return response
        case ("/token refresh_token", .refusedRefresh), ("/revoke", .refusedRevocation):
            return wrong(.json(["error": "invalid_request"], status: 400))
        case ("/keys", .keySet): return wrong(try await usual())
        case ("/keys", .key):
            let response = try await usual()
            guard let key = JSONObject(response.body)?.objects("keys").first else { return response }
            let text = String(decoding: json(key.members), as: UTF8.self)
            // A key of a type that nobody knows here does not matter.
            let set = #"{"keys":[{"kty":"AKP","alg":"ML-DSA-65","pub":"AA"},\#(text)]}"#
            return HTTPResponse(status: 200, headers: response.headers, body: Array(set.utf8))
        default: return try await usual()
        }
    }

    private func wrong(_ response: HTTPResponse) -> HTTPResponse {
        guard let members = JSONObject(response.body)?.members else { return response }
        return HTTPResponse(status: response.status, headers: response.headers, body: json(members))
    }

    private func json(_ members: [String: JSONValue]) -> [UInt8] {
        var members = members
        // What the issuer gave is the right value, if it gave one.
        let given = members[member.name]
        if given == nil || [.refusedRefresh, .refusedRevocation].contains(member.place) {
            members[member.name] = member.value
        }
        guard let bad = bad.withLock({ $0 }) else { return JSONValue.object(members).bytes }
        let right = BadValue(name: bad.name, value: members[member.name], isTwice: true)
        return (bad.isTwice ? right : bad).json(member.name, in: members)
    }

    // MARK: The calls

    private func openID() -> OpenIDConnect {
        let front = IssuerFront(world.issuer) { [self] question, usual async throws(HTTPError) in
            try await answer(question, usual)
        }
        let client = OpenIDClient(issuerURL: ScriptedIssuer.issuerURL, clientID: "desktop")
        return OpenIDConnect(client, http: front.http, world.dependencies)
    }

    /// Tries every wrong value.
    func run() async throws {
        var openID = openID()
        let auth = try world.app(openID)
        for value in BadValue.all(instead: member.value) {
            world.issuer.advance(by: 61)
            world.waited.advance(by: .seconds(61))
            if [.refresh, .refusedRefresh, .refusedRevocation].contains(member.place) {
                bad.withLock { $0 = nil }
                try await auth.signIn(by: world.browser(openID))
            }
            bad.withLock { $0 = value }
            // These responses are kept.
            if [.discovery, .keySet, .key].contains(member.place) { openID = self.openID() }
            do throws(AuthError) {
                try await call(auth, openID, value)
            } catch {
                check(error, value)
            }
        }
        for (what, values) in complaints.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            Issue.record("\(member.testDescription): \(what) [\(values.joined(separator: ", "))]")
        }
    }

    private func call(_ auth: Auth, _ openID: OpenIDConnect, _ value: BadValue) async throws(AuthError) {
        switch member.place {
        case .refresh: try await refresh(auth, value)
        case .refusedRefresh:
            let token = auth.currentUser?.refreshToken
            _ = try? await auth.currentUser?.getIDToken(forcingRefresh: true)
            expect(token != nil && auth.currentUser?.refreshToken == token, value, "the refresh token is lost")
        case .refusedRevocation:
            guard let token = auth.currentUser?.refreshToken else { return expect(false, value, "nobody is signed in") }
            try await openID.revoke(UserTokens(refreshToken: token, accessTokens: []))
        case .userInfo:
            let user = try await auth.signIn(with: world.browser(openID)).user
            expect(user.uid == "ada", value, "the user is \(user.uid)")
            try await user.reload()
            expect(auth.currentUser?.uid == "ada", value, "the user is not stored")
        case .device:
            let credential = try await DeviceSignIn(openID) { _ in }.credential()
            let grant = try await openID.signIn(with: credential, tenantID: nil)
            expect(grant.profile.uid == "ada", value, "the user is \(grant.profile.uid)")
        case .discovery, .signIn, .keySet, .key, .claims, .header:
            let credential = try await world.browser(openID).credential()
            let grant = try await openID.signIn(with: credential, tenantID: nil)
            expect(grant.profile.uid == "ada", value, "the user is \(grant.profile.uid)")
            let dates = grant.tokens.accessTokens.map(\.expirationDate)
            expect(dates.allSatisfy { $0 > world.issuer.now }, value, "the access token has expired")
            try await openID.revoke(grant.tokens)
            if member.name == "revocation_endpoint_auth_methods_supported", value.isNone {
                expect(openID.keptSession == nil, value, "the session is not revoked")
            }
        }
    }

    private func refresh(_ auth: Auth, _ value: BadValue) async throws(AuthError) {
        let former = auth.currentUser?.refreshToken
        defer {
            let token = auth.currentUser?.refreshToken
            let isNew = token != former
            let isRight = member.name != "refresh_token" || value.isTwice
            let isLong = member.name == "refresh_token" && !value.isNone
            expect(token != nil && (isLong || isNew == isRight), value, "the refresh token is lost")
            let live = world.issuer.script.withLock { $0.refreshTokens }
            expect(isLong || live.contains(token ?? ""), value, "the refresh token is not the issuer's")
        }
        _ = try await auth.currentUser?.getIDToken(forcingRefresh: true)
    }

    // MARK: What is expected

    private func expect(_ isTrue: Bool, _ value: BadValue, _ what: String) {
        if !isTrue { complaints.withLock { $0[what, default: []].append(value.name) } }
    }

    private func check(_ error: AuthError, _ value: BadValue) {
        let text = "\(error.message) \(error.remedy ?? "")"
        switch member.need {
        case .required where !value.isNone && member.value.string != nil: break
        case .required(let words):
            expect(words.contains { text.contains($0) }, value, "it is not named: \(text)")
        case .meaningful where !value.isNone: break
        case .optional where member.place == .refusedRevocation:
            expect(!text.lowercased().contains("later"), value, "the text says \"later\": \(text)")
        case .meaningful, .optional: expect(false, value, "it harms: \(text)")
        }
    }
}

struct BadMemberTests {
    @Test(
        "A wrong member of a response harms nothing if it is optional, else it is named",
        .timeLimit(.minutes(1)),
        arguments: BadMember.all
    )
    func wrong(_ member: BadMember) async throws { try await BadMemberSession(member).run() }
}
