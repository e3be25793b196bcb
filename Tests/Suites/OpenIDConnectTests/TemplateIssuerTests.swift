import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("A provider with an issuer for each tenant")
struct TemplateIssuerTests {
    private static let template = "https://issuer.example/{tenantid}/v2.0"
    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private let world = IssuerFixture()

    init() { name(Self.template) }

    /// Sets the issuer in the discovery document, and the tenant and issuer of ID tokens.
    private func name(_ issuer: String, tid: String? = tenant, iss: String? = nil) {
        world.issuer.change { script in
            script.changeMetadata = { $0["issuer"] = .string(issuer) }
            script.changeClaims = { claims in
                claims["tid"] = tid.map { .string($0) }
                claims["iss"] = .string(iss ?? "https://issuer.example/\(tid ?? "")/v2.0")
            }
            script.changeRedirect = { $0["iss"] = "https://issuer.example/\(Self.tenant)/v2.0" }
        }
    }

    /// Serves the discovery document of the tenant, which names its own issuer.
    private func serveTenant() throws {
        let url = ScriptedIssuer.issuerURL
        let document: [String: JSONValue] = [
            "issuer": .string("https://issuer.example/\(Self.tenant)/v2.0"), "jwks_uri": .string("\(url)/keys"),
            "authorization_endpoint": .string("\(url)/authorize"), "token_endpoint": .string("\(url)/token"),
            "userinfo_endpoint": .string("\(url)/userinfo"), "revocation_endpoint": .string("\(url)/revoke"),
        ]
        let path = "/\(Self.tenant)/v2.0/.well-known/openid-configuration".dropFirst("/realm".count)
        world.issuer.change { $0.answers[String(path)] = .success(.json(document)) }
    }

    private var accepting: OpenIDConnect { world.openID { $0.issuerTemplate = Self.template } }

    @Test("Accounts have the issuer of their tenant, and are refreshed and reloaded by it")
    func session() async throws {
        let openID = accepting
        let auth = try world.app(openID)
        let user = try await auth.signIn(by: world.browser(openID))
        let issuer = "https://issuer.example/\(Self.tenant)/v2.0#desktop"
        #expect(user.knownIssuer == issuer)
        #expect(openID.issuer == "https://issuer.example/realm#desktop")
        try serveTenant()
        try await user.reload()
        let before = user.refreshToken
        _ = try await user.getIDToken(forcingRefresh: true)
        let after = user.refreshToken
        #expect(after != before && user.knownIssuer == issuer)
        try await auth.signOut(timeout: .seconds(5))
        #expect(world.issuer.script.withLock { $0.revoked }.contains(after ?? ""))
        let other = try #require(openID.tenant(ofIssuer: issuer) as? OpenIDConnect)
        #expect(
            other.client.issuerURL == "https://issuer.example/\(Self.tenant)/v2.0" && other.client.issuerTemplate == nil
        )
        #expect(other.issuer == issuer)
    }

    @Test("Without the template, the error says what to configure")
    func notConfigured() async throws {
        let error = await expectFailure(.webInternalError) { _ = try await world.browser(world.openID()).credential() }
        #expect(error?.message.contains(Self.template) == true)
        #expect(error?.remedy?.contains("set the issuer template of the client to \(Self.template)") == true)
        #expect(error?.remedy?.contains("issuer URL of one tenant") == true)
    }

    @Test("A template of another server is not advised")
    func otherServer() async throws {
        name("https://other.example/{tenantid}/v2.0")
        let error = await expectFailure(.webInternalError) { _ = try await world.browser(world.openID()).credential() }
        #expect(error?.remedy?.contains("issuer template") == false)
    }

    @Test("A key that signs for one tenant signs for no other", arguments: [Self.tenant, "other", nil])
    func keyOfTenant(_ tenant: String?) async throws {
        world.issuer.change { script in
            script.changeKeys = { keys in
                let issuer = tenant.map { "https://issuer.example/\($0)/v2.0" } ?? Self.template
                keys = keys.map { key in
                    guard case .object(var members) = key else { return key }
                    members["issuer"] = .string(issuer)
                    return .object(members)
                }
            }
        }
        let signIn = world.browser(accepting)
        if tenant == "other" {
            await expectFailure(.invalidCredential) { _ = try await signIn.credential() }
        } else {
            _ = try await signIn.credential()
        }
    }

    @Test("A document that names a tenant's issuer is an error that names it")
    func domainName() async throws {
        name("https://issuer.example/\(Self.tenant)/v2.0")
        let error = await expectFailure(.webInternalError) { _ = try await world.browser(world.openID()).credential() }
        #expect(
            error?.remedy?.contains("configure the issuer URL as https://issuer.example/\(Self.tenant)/v2.0") == true
        )
        await expectFailure(.webInternalError) { _ = try await world.browser(accepting).credential() }
    }

    static let forgeries: [(String?, String?)] = [
        ("other", "https://issuer.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"), (nil, nil),
        ("", "https://issuer.example//v2.0"), ("a/b", "https://issuer.example/a/b/v2.0"),
        ("..", "https://issuer.example/../v2.0"), ("{tenantid}", "https://issuer.example/{tenantid}/v2.0"),
        ("a", "https://evil.example/a/v2.0"), ("a", "https://issuer.example/a/v1.0"),
        ("a?b", "https://issuer.example/a?b/v2.0"),
    ]

    @Test("An ID token of another tenant than its issuer's is refused", arguments: forgeries)
    func forged(tid: String?, iss: String?) async throws {
        name(Self.template, tid: tid, iss: iss)
        await expectFailure(.invalidCredential) { _ = try await world.browser(accepting).credential() }
    }

    @Test("A redirect may name the template's issuers only", arguments: ["https://evil.example/a/v2.0", "x"])
    func redirect(issuer: String) async throws {
        world.issuer.change { script in script.changeRedirect = { $0["iss"] = issuer } }
        await expectFailure(.invalidCredential) { _ = try await world.browser(accepting).credential() }
    }

    @Test(
        "A malformed template is refused before anything is sent",
        arguments: [
            "https://issuer.example/v2.0", "https://{tenantid}.example/v2.0", "https://{tenantid}/v2.0",
            "https://a.example/{tenantid}/{tenantid}", "http://a.example/{tenantid}", "{tenantid}", "",
            "https://a.example{tenantid}", "https://a.example/?{tenantid}", "https://other.example/{tenantid}/v2.0",
            "https://issuer.example:444/{tenantid}/v2.0",
        ]
    )
    func malformed(_ template: String) async throws {
        let openID = world.openID { $0.issuerTemplate = template }
        await expectFailure(.operationNotAllowed) { _ = try await world.browser(openID).credential() }
        #expect(world.issuer.asked.isEmpty)
    }

    @Test("Only issuers of the template and the client are tenants")
    func tenants() {
        let openID = accepting
        let tenant = "https://issuer.example/a/v2.0"
        #expect(openID.tenant(ofIssuer: "\(tenant)#desktop") != nil)
        for other in [
            "\(tenant)#other", tenant, "https://issuer.example/a/b/v2.0#desktop",
            "https://issuer.example/realm#desktop",
        ] {
            #expect(openID.tenant(ofIssuer: other) == nil)
        }
        #expect(world.openID().tenant(ofIssuer: "\(tenant)#desktop") == nil)
    }
}
