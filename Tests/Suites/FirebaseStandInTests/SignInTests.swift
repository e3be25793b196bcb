import FirebaseStandInServer
import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import SharedAuthRecords
import TestSupport
import Testing

@testable import IdentityToolkit

@Suite("Sign-in at the stand-in")
struct SignInTests {
    @Test(
        "Protected addresses do not reveal whether they have an account; others do",
        arguments: [true, false]
    )
    func enumeration(_ isProtected: Bool) async throws {
        let project = try Project { $0.protectsAddresses = isProtected }
        let toolkit = project.toolkit()
        let tokens = try await project.signUp().tokens
        func credential(_ email: String) -> AuthCredential {
            EmailAuthProvider.credential(withEmail: email, password: "a-guess")
        }
        await expectFailure(isProtected ? .invalidCredential : .userNotFound) {
            try await toolkit.signIn(with: credential("nobody@example.com"), tenantID: nil)
        }
        await expectFailure(isProtected ? .invalidCredential : .wrongPassword) {
            try await toolkit.signIn(with: credential("ada@example.com"), tenantID: nil)
        }
        let query: [String: JSONValue] = [
            "identifier": .string("ada@example.com"), "continueUri": .string("http://localhost"),
        ]
        let methods = try await project.call("v1/accounts:createAuthUri", query).strings("signinMethods")
        #expect(methods == (isProtected ? nil : ["password"]))
        if isProtected {
            try await toolkit.sendPasswordReset(to: "nobody@example.com", settings: nil, tenantID: nil)
            #expect(project.standIn.codes.isEmpty)
            await expectFailure(.operationNotAllowed) {
                try await toolkit.updateEmail(to: "b@example.com", for: tokens)
            }
        } else {
            await expectFailure(.userNotFound) {
                try await toolkit.sendPasswordReset(to: "nobody@example.com", settings: nil, tenantID: nil)
            }
            #expect(try await toolkit.updateEmail(to: "b@example.com", for: tokens).profile.email == "b@example.com")
        }
    }

    @Test("A custom token is valid for an hour if this project's back end signed it")
    func customToken() async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        var order = CustomTokenOrder(uid: "u1")
        order.claims = ["role": .string("editor")]
        let grant = try await toolkit.signIn(with: .custom(project.standIn.mint(order)), tenantID: nil)
        #expect(grant.profile.uid == "u1" && grant.isNewUser && !grant.profile.isAnonymous)
        #expect(grant.tokens.idToken.flatMap { claims(of: $0) }?.string("role") == "editor")
        let old = try await project.standIn.mint(order)
        project.standIn.advanceClock(by: 3601)
        await expectFailure(.invalidCustomToken) { try await toolkit.signIn(with: .custom(old), tenantID: nil) }
        order.isForAnotherProject = true
        let foreign = try await project.standIn.mint(order)
        await expectFailure(.customTokenMismatch) { try await toolkit.signIn(with: .custom(foreign), tenantID: nil) }
        let idToken = try #require(grant.tokens.idToken)
        await expectFailure(.invalidCustomToken) { try await toolkit.signIn(with: .custom(idToken), tenantID: nil) }
    }

    @Test("After many wrong passwords the right one must wait")
    func attempts() async throws {
        let project = try Project { $0.attemptLimit = 2 }
        let toolkit = project.toolkit()
        _ = try await project.signUp()
        func signIn(_ password: String) async throws(AuthError) -> IdentityGrant {
            let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: password)
            return try await toolkit.signIn(with: credential, tenantID: nil)
        }
        for _ in 1...2 { await expectFailure(.invalidCredential) { try await signIn("a-guess") } }
        await expectFailure(.tooManyRequests) { try await signIn("secret-1") }
        project.standIn.advanceClock(by: 301)
        _ = try await signIn("secret-1")
    }

    @Test("A tenant has its own users")
    func tenants() async throws {
        let project = try Project { $0.tenants = ["one", "two"] }
        let toolkit = project.toolkit()
        let grant = try await toolkit.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: "one")
        #expect(grant.profile.tenantID == "one")
        let credential = EmailAuthProvider.credential(withEmail: "a@example.com", password: "secret-1")
        #expect(try await toolkit.signIn(with: credential, tenantID: "one").profile.uid == grant.profile.uid)
        for other in [nil, "two"] {
            await expectFailure(.invalidCredential) { try await toolkit.signIn(with: credential, tenantID: other) }
        }
        let answer = try await project.call("v1/accounts:signUp", ["tenantId": .string("three")])
        #expect(answer.refusal == "INVALID_TENANT_ID")
    }

    @Test("A password must meet the policy, and the policy can be read")
    func policy() async throws {
        let project = try Project { settings in
            settings.passwordPolicy.minimumLength = 10
            settings.passwordPolicy.needsDigit = true
        }
        let error = await expectFailure(.passwordDoesNotMeetRequirements) {
            try await project.toolkit().createUser(withEmail: "a@example.com", password: "abcdefg", tenantID: nil)
        }
        guard let reasons = error?.details?.reasons else {
            Issue.record("there are no reasons")
            return
        }
        #expect(reasons.count == 2)
        await expectFailure(.weakPassword) {
            try await project.toolkit().createUser(withEmail: "a@example.com", password: "abc", tenantID: nil)
        }
        let policy = try await project.send(.get, "/identitytoolkit.googleapis.com/v2/passwordPolicy?key=KEY")
        let options = JSONObject(policy.members["customStrengthOptions"])
        #expect(options?.seconds("minPasswordLength") == 10 && options?.bool("containsNumericCharacter") == true)
    }

    @Test("Each password rule refuses a password that breaks it, and is named")
    func rules() async throws {
        typealias Policy = FirebaseStandInServer.PasswordPolicy
        let rules: [(rule: (inout Policy) -> Void, password: String, name: String)] = [
            ({ $0.minimumLength = 8 }, "Ab-4567", "at least 8 characters"),
            ({ $0.maximumLength = 8 }, "Ab-456789", "at most 8 characters"),
            ({ $0.needsLowercase = true }, "AB-45678", "a lower case character"),
            ({ $0.needsUppercase = true }, "ab-45678", "an upper case character"),
            ({ $0.needsDigit = true }, "Ab-cdefg", "a numeric character"),
            ({ $0.needsOther = true }, "Ab345678", "a non-alphanumeric character"),
        ]
        for (rule, password, name) in rules {
            let project = try Project { rule(&$0.passwordPolicy) }
            let error = await expectFailure(.passwordDoesNotMeetRequirements) {
                try await project.toolkit().createUser(withEmail: "a@example.com", password: password, tenantID: nil)
            }
            guard let reasons = error?.details?.reasons else {
                Issue.record("there are no reasons for \(name)")
                continue
            }
            #expect(reasons.count == 1 && reasons.allSatisfy { $0.contains(name) })
            let grant = try await project.toolkit().createUser(
                withEmail: "a@example.com",
                password: "Ab-45678",
                tenantID: nil
            )
            await expectFailure(.passwordDoesNotMeetRequirements) {
                try await project.toolkit().updatePassword(to: password, for: grant.tokens)
            }
            project.standIn.stop()
        }
    }

    @Test(
        "A restricted API key is refused, and the error names the restriction",
        arguments: [
            (APIKeyRule.iOSApps, AuthErrorCode.appNotAuthorized, "iOS apps"),
            (.androidApps, .appNotAuthorized, "Android apps"), (.webPages, .appNotAuthorized, "web pages"),
            (.otherAddresses, .appNotAuthorized, "other network addresses"),
            (.noAccounts, .appNotAuthorized, "Identity Toolkit API"), (.unknown, .invalidAPIKey, "API key"),
        ]
    )
    func keys(_ rule: APIKeyRule, _ code: AuthErrorCode, _ words: String) async throws {
        let project = try Project { $0.keys["KEY"] = rule }
        let error = await expectFailure(code) { try await project.toolkit().signInAnonymously(tenantID: nil) }
        #expect(error?.message.contains(words) == true)
    }

    @Test("A key that cannot refresh is detected at the sign-in, before an account exists")
    func keyWithoutRefresh() async throws {
        let project = try Project { $0.keys["KEY"] = .noRefresh }
        let refusal = try await project.send(.post, "/securetoken.googleapis.com/v1/token?key=KEY", [:])
        #expect(JSONObject(refusal.members["error"])?.string("status") == "PERMISSION_DENIED")
        // The check is made only with Google's hosts, so the stand-in is reached by their addresses.
        var settings = IdentityToolkit.Settings()
        settings.transport = Detour(site: project.standIn.address)
        let toolkit = IdentityToolkit(apiKey: "KEY", settings: settings)
        let error = await expectFailure(.appNotAuthorized) { try await toolkit.signInAnonymously(tenantID: nil) }
        #expect(error?.message.contains("Token Service API") == true)
        #expect(project.count(of: "v1/accounts") == 0)
        project.standIn.settings.keys = [:]
        _ = try await toolkit.signInAnonymously(tenantID: nil)
    }

    /// Sends requests for Google's hosts to a stand-in.
    private struct Detour: HTTPTransport {
        let site: String

        func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
            var request = request
            let address = request.url.absoluteString.replacing("https://", with: "\(site)/")
            if let url = URL(string: address) { request.url = url }
            return try await LibsoupTransport().send(request, within: limits)
        }
    }
}

/// Returns the claims of a token.
func claims(of token: String) -> JSONObject? {
    let parts = token.split(separator: ".")
    return parts.count == 3 ? Base64URL.decode(parts[1].utf8).flatMap { JSONObject($0) } : nil
}

extension AuthCredential {
    fileprivate static func custom(_ token: String) -> AuthCredential {
        AuthCredential(provider: "custom", content: .customToken(token))
    }
}
