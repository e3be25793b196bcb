import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("The scope offline_access, and the parameters of sign-ins")
struct OfflineAccessTests {
    private let world = IssuerFixture()

    private var pages: [[String: String]] { world.issuer.script.withLock { $0.pages } }

    @Test(
        "A refused scope that was added is left out, once and from then on",
        arguments: ["invalid_scope", "not_allowed", "invalid_request", "unauthorized_client", "offline_access_denied"]
    )
    func refusedOnPage(_ word: String) async throws {
        world.issuer.change { $0.scopeRefusal = (.page, word) }
        let openID = world.openID()
        let signIn = world.browser(openID)
        _ = try await signIn.credential()
        #expect(pages.map { $0["scope"] } == ["openid profile email offline_access", "openid profile email"])
        #expect(pages[0]["state"] != pages[1]["state"] && pages[0]["code_challenge"] != pages[1]["code_challenge"])
        #expect(pages.allSatisfy { $0["prompt"] == nil })
        _ = try await signIn.credential()
        #expect(pages.count == 3)
        #expect(openID.hasRefusedAddedScope)
    }

    @Test(
        "A refusal for another reason is not repeated",
        arguments: [
            "access_denied", "authorization_declined", "login_required", "server_error", "temporarily_unavailable",
            "consent_required", "invalid_client",
        ]
    )
    func otherRefusal(_ word: String) async throws {
        world.issuer.change { $0.scopeRefusal = (.page, word) }
        await #expect(throws: AuthError.self) { _ = try await world.browser(world.openID()).credential() }
        #expect(pages.count == 1)
    }

    @Test("A scope that was refused twice is the error of the second refusal")
    func refusedTwice() async throws {
        world.issuer.change { script in
            script.changeRedirect = { items in
                (items["code"], items["error"]) = (nil, "invalid_scope")
            }
        }
        await expectFailure(.operationNotAllowed) { _ = try await world.browser(world.openID()).credential() }
        #expect(pages.count == 2)
    }

    @Test("A refused pushed request is repeated without the added scope", arguments: [true, false])
    func refusedPush(isRequired: Bool) async throws {
        world.issuer.change { script in
            script.scopeRefusal = (.pushedRequest, "invalid_scope")
            script.changeMetadata = { metadata in
                metadata["pushed_authorization_request_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/par")
                metadata["require_pushed_authorization_requests"] = .bool(isRequired)
            }
        }
        _ = try await world.browser(world.openID()).credential()
        #expect(world.issuer.count(of: "/par") == (isRequired ? 2 : 1))
        #expect(pages.count == 1)
    }

    @Test("A refusal of the code names the scope, and the next sign-in leaves it out")
    func refusedCode() async throws {
        world.issuer.change { $0.scopeRefusal = (.code, "not_allowed") }
        let signIn = world.browser(world.openID())
        let error = await expectFailure(.operationNotAllowed) { _ = try await signIn.credential() }
        #expect(error?.message.contains("offline_access") == true && error?.message.contains("not_allowed") == true)
        #expect(error?.remedy?.contains("addsOfflineAccess") == true)
        #expect(pages.count == 1)
        _ = try await signIn.credential()
        #expect(pages.last?["scope"] == "openid profile email")
    }

    @Test("A refused device request is repeated without the scope; a refused poll names it")
    func device() async throws {
        world.issuer.change { $0.scopeRefusal = (.device, "invalid_scope") }
        _ = try await DeviceSignIn(world.openID()) { _ in }.credential()
        #expect(world.issuer.count(of: "/device") == 2)
        world.issuer.change { $0.scopeRefusal = (.poll, "not_allowed") }
        let openID = world.openID()
        let error = await expectFailure(.operationNotAllowed) {
            _ = try await DeviceSignIn(openID) { _ in }.credential()
        }
        #expect(error?.message.contains("offline_access") == true)
        _ = try await DeviceSignIn(openID) { _ in }.credential()
    }

    @Test(
        "A poll refused because of the user or the code keeps the scope, and says so",
        arguments: [
            ("access_denied", AuthErrorCode.webContextCancelled), ("authorization_declined", .webContextCancelled),
            ("bad_verification_code", .invalidCredential),
        ]
    )
    func refusedPoll(_ word: String, _ code: AuthErrorCode) async throws {
        world.issuer.change { $0.deviceAnswers = [word] }
        let openID = world.openID()
        let error = await expectFailure(code) { _ = try await DeviceSignIn(openID) { _ in }.credential() }
        #expect(error?.message.contains("offline_access") == false && !openID.hasRefusedAddedScope)
    }

    @Test("An age that is no number is refused, by browser and by code", arguments: ["1e3", "60 ", "-1"])
    func age(_ age: String) async throws {
        var device = DeviceSignIn(world.openID()) { _ in }
        device.parameters = ["max_age": age]
        let browser = world.browser(world.openID()) { $0.parameters = ["max_age": age] }
        for signIn in [browser, device] as [any FederatedAuthProvider] {
            let error = await expectFailure(.operationNotAllowed) { _ = try await signIn.credential() }
            #expect(error?.message.contains("max_age") == true)
        }
        #expect(world.issuer.asked.isEmpty)
    }

    @Test("An app can leave the scope out, by browser and by code")
    func leftOut() async throws {
        let openID = world.openID { $0.addsOfflineAccess = false }
        _ = try await world.browser(openID).credential()
        #expect(pages.map { $0["scope"] } == ["openid profile email"])
        _ = try await DeviceSignIn(openID) { _ in }.credential()
        let form = world.issuer.script.withLock { $0.forms.first { $0["scope"] != nil } }
        #expect(form?["scope"] == "openid profile email")
    }

    @Test("An app that asks for the scope gets the prompt for consent, or its own")
    func prompt() async throws {
        let openID = world.openID { $0.scopes = ["openid", "offline_access"] }
        for prompt in [nil, "login", ""] {
            _ = try await world.browser(openID) { $0.parameters = prompt.map { ["prompt": $0] } ?? [:] }.credential()
        }
        #expect(pages.map { $0["prompt"] } == ["consent", "login", nil])
        #expect(pages.allSatisfy { $0["scope"] == "openid offline_access" })
        world.issuer.change { $0.scopeRefusal = (.page, "invalid_scope") }
        await expectFailure(.operationNotAllowed) { _ = try await world.browser(openID).credential() }
        #expect(pages.count == 4)
    }

    @Test("The parameters of the app are in the request for a device code")
    func deviceParameters() async throws {
        var signIn = DeviceSignIn(world.openID()) { _ in }
        signIn.parameters = ["audience": "https://api.example", "prompt": ""]
        _ = try await signIn.credential()
        let form = world.issuer.script.withLock { $0.forms[0] }
        #expect(form["audience"] == "https://api.example" && form["prompt"] == nil)
    }

    @Test("A parameter that SharedAuth sets is refused before anything is sent", arguments: SignInParameters.reserved)
    func reserved(_ name: String) async throws {
        let openID = world.openID()
        var device = DeviceSignIn(openID) { _ in }
        device.parameters = [name: "x"]
        let (browser, code) = (world.browser(openID) { $0.parameters = [name: ""] }, device)
        for signIn in [browser, code] as [any FederatedAuthProvider] {
            let error = await expectFailure(.operationNotAllowed) { _ = try await signIn.credential() }
            #expect(error?.message.contains("parameter \(name) ") == true)
        }
        await expectFailure(.operationNotAllowed) {
            _ = try await world.browser(openID) { $0.parameters = ["": "x"] }.credential()
        }
        #expect(world.issuer.asked.isEmpty)
    }

    @Test("A device request has a challenge and its polls the verifier", arguments: [true, false])
    func challenge(isChecked: Bool) async throws {
        world.issuer.change { script in
            script.needsChallenge = isChecked
            script.deviceAnswers = ["authorization_pending"]
        }
        _ = try await DeviceSignIn(world.openID()) { _ in }.credential()
        let forms = world.issuer.script.withLock { $0.forms }
        #expect(forms[0]["code_challenge_method"] == "S256" && forms[0]["code_verifier"] == nil)
        #expect(Set(forms.dropFirst().map { $0["code_verifier"]?.count }) == [43])
    }
}
