import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("Each member of discovery, key and device answers, in each wrong form")
struct AnswerTableTests {
    private let world = IssuerFixture()

    /// What becomes of a member, as JSON; nil leaves it out.
    static let forms: [String?] = [
        nil, "null", #""""#, "5", "-1", "0", "0.5", "4102444800", "true", "[]", "[1]", #"[""]"#, "{}",
        #"{"a": 1}"#,
        #""text""#, #""\u0000""#, "\"\(String(repeating: "x", count: 65_536))\"", "TWICE",
    ]

    /// Returns the document with one member in another form.
    private static func json(_ members: [String: String], _ name: String, _ form: String?) -> HTTPResponse {
        var lines = members.filter { $0.key != name }.map { "\"\($0.key)\": \($0.value)" }
        if form == "TWICE" {
            lines += Array(repeating: "\"\(name)\": \(members[name] ?? "1")", count: 2)
        } else if let form {
            lines.append("\"\(name)\": \(form)")
        }
        let text = "{\(lines.joined(separator: ", "))}"
        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    private static let url = ScriptedIssuer.issuerURL
    private static let discovery = [
        "issuer": "\"\(url)\"", "authorization_endpoint": "\"\(url)/authorize\"",
        "token_endpoint": "\"\(url)/token\"", "jwks_uri": "\"\(url)/keys\"", "userinfo_endpoint": "\"\(url)/userinfo\"",
        "revocation_endpoint": "\"\(url)/revoke\"", "end_session_endpoint": "\"\(url)/logout\"",
        "device_authorization_endpoint": "\"\(url)/device\"", "pushed_authorization_request_endpoint": "\"\(url)/par\"",
        "require_pushed_authorization_requests": "false", "scopes_supported": #"["openid", "offline_access"]"#,
        "code_challenge_methods_supported": #"["S256"]"#, "id_token_signing_alg_values_supported": #"["ES256"]"#,
        "token_endpoint_auth_methods_supported": #"["none"]"#, "response_types_supported": #"["code"]"#,
        "revocation_endpoint_auth_methods_supported": #"["none"]"#, "grant_types_supported": #"["authorization_code"]"#,
        "authorization_response_iss_parameter_supported": "true", "unknown": "1",
    ]
    private static let neededInDiscovery = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]

    private func expect(_ error: AuthError?, toName member: String, as form: String?) {
        #expect(
            error?.message.contains(member) == true,
            "\(form?.prefix(20) ?? "absent"): \(error?.message ?? "")"
        )
    }

    @Test(
        "A needed member of discovery is named; an optional one never prevents a session",
        arguments: discovery.keys.sorted()
    )
    func discoveryMember(_ name: String) async throws {
        for form in Self.forms {
            let world = IssuerFixture()
            let answer = Self.json(Self.discovery, name, form)
            world.issuer.change { $0.answers["/.well-known/openid-configuration"] = .success(answer) }
            let openID = world.openID()
            let auth = try world.app(openID)
            if Self.neededInDiscovery.contains(name), form != "TWICE" {
                let error = await expectFailure(.webInternalError) {
                    _ = try await auth.signIn(by: world.browser(openID))
                }
                expect(error, toName: name, as: form)
                continue
            }
            do {
                let user = try await auth.signIn(by: world.browser(openID))
                _ = try await user.getIDToken(forcingRefresh: true)
                try await user.reload()
                try await auth.signOut(timeout: .seconds(5))
                _ = try await openID.endSessionURL()
            } catch {
                Issue.record("\(name) as \(form?.prefix(20) ?? "absent"): \(error)")
            }
            _ = try await openID.offer()
        }
    }

    private static let device = [
        "device_code": #""device""#, "user_code": #""ABCD-EFGH""#,
        "verification_uri": #""https://issuer.example/device""#,
        "verification_uri_complete": #""https://issuer.example/device?c=1""#, "expires_in": "600", "interval": "5",
        "message": #""Open the page.""#,
    ]
    private static let neededInDevice = ["device_code", "user_code", "verification_uri"]
    /// Texts that are as good as the usual ones.
    private static func isGood(_ form: String?, _ name: String) -> Bool {
        if form == "TWICE" { return true }
        return switch name {
        case "device_code": form == #""text""# || form == #""\u0000""# || (form?.utf8.count ?? 0) > 65_536
        case "user_code": form == #""text""#
        default: false
        }
    }

    @Test(
        "A needed member of a device answer is named; an optional one never matters",
        arguments: device.keys.sorted()
    )
    func deviceMember(_ name: String) async throws {
        for form in Self.forms {
            let world = IssuerFixture()
            let answer = Self.json(Self.device, name, form)
            world.issuer.change { script in
                script.answers["/device"] = .success(answer)
                // A code of five seconds has ended by then.
                if name != "expires_in" { script.deviceAnswers = ["authorization_pending"] }
            }
            let signIn = DeviceSignIn(world.openID()) { _ in }
            if Self.neededInDevice.contains(name), !Self.isGood(form, name) {
                let error = await expectFailure(.webInternalError) { _ = try await signIn.credential() }
                expect(error, toName: name, as: form)
            } else {
                do {
                    _ = try await signIn.credential()
                } catch {
                    Issue.record("\(name) as \(form?.prefix(20) ?? "absent"): \(error)")
                }
            }
        }
    }

    @Test("A key set without keys is named, and so are needed members; others do not matter")
    func keyMembers() async throws {
        for form in Self.forms {
            try await check(Self.json(["keys": "[]"], "keys", form), form, "keys", isNeeded: true)
        }
        guard case .object(let key) = world.issuer.script.withLock({ $0.keys[0].json }) else { return }
        let members = key.merging(["x5c": .array([]), "key_ops": .array([.string("verify")])]) { $1 }
        for name in members.keys.sorted() {
            for form in Self.forms {
                let key = Self.json(members.mapValues(\.text), name, form)
                let set = HTTPResponse(status: 200, body: Array("{\"keys\": [".utf8) + key.body + Array("]}".utf8))
                let isNeeded = ["kty", "crv", "x", "y"].contains(name)
                // A label that says something else is no fault.
                guard
                    isNeeded
                        || form?.contains("text") != true && (form?.utf8.count ?? 0) < 65_536 && form != #""\u0000""#
                else { continue }
                try await check(set, form, name, isNeeded: isNeeded && form != "TWICE")
            }
        }
    }

    private func check(_ keys: HTTPResponse, _ form: String?, _ name: String, isNeeded: Bool) async throws {
        let fresh = IssuerFixture()
        fresh.issuer.change { [key = world.issuer.script.withLock { $0.keys }] script in
            script.keys = key
            script.answers["/keys"] = .success(keys)
        }
        let about: Comment = "\(name) as \(form?.prefix(20) ?? "absent")"
        do {
            _ = try await fresh.browser(fresh.openID()).credential()
            #expect(!isNeeded, about)
        } catch {
            #expect(isNeeded, "\(name) as \(form?.prefix(20) ?? "absent"): \(error)")
            #expect([.webInternalError, .invalidCredential].contains(error.code), about)
        }
    }
}
