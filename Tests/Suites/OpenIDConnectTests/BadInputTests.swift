import Foundation
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect
@testable import SharedAuth

/// Tests the members of responses with every kind of value.
struct BadInputTests {
    /// A value that a member should not have.
    enum Odd: CaseIterable {
        case absent, null, empty, number, negative, year2100, boolean, list, object, long, twice

        /// Returns the JSON text of a response with this value of one of its members.
        func text(of name: String, in members: [String: JSONValue]) -> String {
            var members = members
            let usual = members[name] ?? "x"
            members[name] = value
            let text = JSONValue.object(members).text
            if self != .twice { return text }
            members[name] = nil
            let others = JSONValue.object(members).text.dropFirst().dropLast()
            return "{\"\(name)\":\"former\",\(others),\"\(name)\":\(usual.text)}"
        }

        private var value: JSONValue? {
            switch self {
            case .absent, .twice: nil
            case .null: .null
            case .empty: ""
            case .number: 5
            case .negative: -5
            case .year2100: 4_102_444_800
            case .boolean: .bool(true)
            case .list: .array([1, "x"])
            case .object: .object(["x": 1])
            case .long: .string(String(repeating: "a", count: 65_536))
            }
        }
    }

    let world = IssuerFixture()

    @Test(
        "A wrong member of a refresh loses no other, and no optional one harms",
        arguments: ["access_token", "id_token", "refresh_token", "expires_in", "scope", "token_type"],
        Odd.allCases
    )
    func refresh(_ name: String, _ odd: Odd) async throws {
        let openID = world.openID()
        let auth = try world.app(openID)
        let user = try await auth.signIn(by: world.browser(openID))
        let former = user.snapshot.tokens
        world.issuer.advance(by: 10)
        let members: [String: JSONValue] = [
            "access_token": "access-new", "refresh_token": "refresh-new", "expires_in": 3600, "scope": "openid",
            "token_type": "Bearer", "id_token": .string(world.issuer.idToken(nonce: nil, accessToken: "access-new")),
        ]
        let body = Array(odd.text(of: name, in: members).utf8)
        world.issuer.change {
            $0.respond = { question, _ in
                question == "/token refresh_token" ? HTTPResponse(status: 200, body: body) : nil
            }
        }
        var failure: AuthError?
        do throws(AuthError) {
            _ = try await user.getIDToken(forcingRefresh: true)
        } catch {
            failure = error
        }
        #expect(auth.currentUser === user)
        let tokens = user.snapshot.tokens
        switch name {
        case "refresh_token":
            let new = odd == .twice ? "refresh-new" : odd == .long ? String(repeating: "a", count: 65_536) : nil
            #expect(tokens.refreshToken == new ?? former.refreshToken && failure == nil)
        case "id_token":
            #expect(tokens.refreshToken == "refresh-new" && (failure == nil) == (odd != .long))
        case "access_token":
            // Another access token than that of the ID token is refused; the refresh token is kept.
            #expect(tokens.refreshToken == "refresh-new" && (failure == nil) == (odd != .long))
        case "token_type":
            #expect(tokens.refreshToken == "refresh-new" && (failure == nil) == (odd != .long))
            #expect(failure?.code != .webInternalError)
        default:
            #expect(tokens.refreshToken == "refresh-new" && failure == nil)
            #expect(tokens.accessTokens.first?.token == "access-new")
            #expect(try await user.accessToken() == "access-new")
        }
        let stored = try #require(try world.app(world.openID()).currentUser)
        #expect(stored.refreshToken == tokens.refreshToken)
    }

    @Test(
        "A sign-in names what is required, and is not harmed by what is not",
        arguments: ["access_token", "id_token", "refresh_token", "expires_in", "scope", "token_type"],
        Odd.allCases
    )
    func signIn(_ name: String, _ odd: Odd) async throws {
        let auth = try world.app(world.openID())
        world.issuer.change { script in
            script.changeTokens = { answer in
                guard case .object(let changed)? = JSONValue(json: odd.text(of: name, in: answer)) else { return }
                answer = changed
            }
        }
        var failure: AuthError?
        do throws(AuthError) {
            _ = try await auth.signIn(with: world.browser(world.openID()).credential())
        } catch {
            failure = error
        }
        let isRequired = name == "id_token" || odd == .long && name != "scope" && name != "expires_in"
        #expect((failure == nil) == (!isRequired || odd == .twice), "\(failure?.text ?? "no failure")")
        if name == "id_token", odd != .long, odd != .twice { #expect(failure?.message.contains("ID token") == true) }
    }

    @Test(
        "UserInfo harms no sign-in, unless it is that of another user",
        arguments: ["sub", "name", "email", "email_verified", "phone_number", "picture"],
        Odd.allCases
    )
    func userInfo(_ name: String, _ odd: Odd) async throws {
        let members: [String: JSONValue] = [
            "sub": "ada", "name": "Ada Lovelace", "email": "ada@b.example", "email_verified": .bool(true),
            "phone_number": "+44 1", "picture": "https://a.example/p.png",
        ]
        let body = Array(odd.text(of: name, in: members).utf8)
        world.issuer.change { $0.answers["/userinfo"] = .success(HTTPResponse(status: 200, body: body)) }
        let auth = try world.app(world.openID())
        if name == "sub", odd == .long {
            await expectFailure(.invalidCredential) { try await auth.signIn(by: world.browser(world.openID())) }
            return
        }
        let user = try await auth.signIn(by: world.browser(world.openID()))
        func has(_ member: String) -> Bool { odd == .twice || name != "sub" && name != member }
        #expect(user.uid == "ada" && (user.phoneNumber != nil) == has("phone_number"))
        #expect(user.displayName == (has("name") ? "Ada Lovelace" : "Ada"))
        try await user.reload()
        #expect(user.uid == "ada")
    }

    @Test("UserInfo without a readable subject leaves the profile to the ID token")
    func unreadableSubject() async throws {
        let openID = world.openID()
        let tokens = try await openID.signIn(with: world.browser(openID).credential(), tenantID: nil).tokens
        world.issuer.change { $0.changeUserInfo = { $0["sub"] = 5 } }
        #expect(try await openID.profile(for: tokens).displayName == "Ada")
        world.issuer.change { $0.changeUserInfo = { $0["sub"] = "eve" } }
        await expectFailure(.invalidCredential) { try await openID.profile(for: tokens) }
    }

    @Test(
        "The error of an ID token names the type of its own subject",
        arguments: [
            (JSONValue?.none, "missing"), (.null, "null"), ("", "empty"), (5, "a number"), (.bool(true), "a Boolean"),
            (.array([]), "a list"), (.object([:]), "an object"),
        ]
    )
    func subject(_ value: JSONValue?, _ kind: String) async throws {
        world.issuer.change { $0.changeClaims = { $0["sub"] = value } }
        let auth = try world.app(world.openID())
        let error = await expectFailure(.invalidCredential) {
            try await auth.signIn(by: world.browser(world.openID()))
        }
        #expect(error?.message.contains("(sub): it is \(kind)") == true, "\(error?.message ?? "")")
    }

    @Test("Dates of an ID token may be in the year 2100, and must not be negative")
    func dates() async throws {
        let auth = try world.app(world.openID())
        world.issuer.change { $0.changeClaims = { $0["exp"] = 4_102_444_800 } }
        let user = try await auth.signIn(by: world.browser(world.openID()))
        #expect(try await user.getIDTokenResult().expirationDate.timeIntervalSince1970 == 4_102_444_800)
        _ = try await user.getIDToken(forcingRefresh: true)
        for (name, value) in [("exp", -1), ("iat", -1), ("exp", 1e300), ("exp", 0)] as [(String, Double)] {
            world.issuer.change { $0.changeClaims = { $0[name] = .number(value) } }
            world.issuer.advance(by: 60)
            await expectFailure(.invalidCredential) { try await user.getIDToken(forcingRefresh: true) }
        }
    }

    @Test(
        "A token that is not known to the issuer is revoked, whatever else it says",
        arguments: [
            (400, #"{"error":"invalid_token"}"#, AuthErrorCode?.none), (400, #"{"error":"invalid_grant"}"#, nil),
            (400, #"{"error":"x","error":"invalid_token"}"#, nil), (200, "", nil), (200, "[", nil), (204, "null", nil),
            (400, #"{"error":null}"#, .operationNotAllowed), (400, #"{"error":""}"#, .operationNotAllowed),
            (400, #"{"error":5}"#, .operationNotAllowed), (400, #"{"error":["invalid_token"]}"#, .operationNotAllowed),
            (401, #"{"error":"invalid_client"}"#, .invalidClientID), (403, "{}", .operationNotAllowed),
            (400, #"{"error":"a_new_word"}"#, .operationNotAllowed), (400, "", .operationNotAllowed),
            (503, #"{"error":"invalid_token"}"#, .webInternalError), (503, "", .networkError),
            (429, #"{"error":"invalid_token"}"#, .tooManyRequests),
        ]
    )
    func revocation(_ status: Int, _ body: String, _ code: AuthErrorCode?) async throws {
        let auth = try world.app(world.openID())
        try await auth.signIn(by: world.browser(world.openID()))
        world.issuer.change {
            $0.answers["/revoke"] = .success(HTTPResponse(status: status, body: Array(body.utf8)))
        }
        var failure: AuthError?
        do throws(AuthError) {
            try await auth.signOut(timeout: .seconds(5))
        } catch {
            failure = error
        }
        #expect((failure?.underlying as? AuthError)?.code == code, "\(failure?.text ?? "no failure")")
        #expect(failure == nil || failure?.code == .sessionNotRevoked)
        #expect(failure?.text.contains("ry again") != true)
        #expect(auth.currentUser == nil)
    }
}

extension JSONValue {
    /// Reads JSON, of whose duplicate members the last counts.
    fileprivate init?(json: String) {
        guard let object = JSONObject(lenient: Array(json.utf8)) else { return nil }
        self = .object(object.members)
    }
}
