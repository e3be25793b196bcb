import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("Requests that are pushed to the server")
struct PushedRequestTests {
    private let world = IssuerFixture()

    private func offer(required: Bool = false, refusal: String? = nil) {
        world.issuer.change {
            $0.changeMetadata = {
                $0["pushed_authorization_request_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/par")
                $0["require_pushed_authorization_requests"] = .bool(required)
            }
            $0.pushRefusal = refusal
        }
    }

    /// Signs in and returns the parameters of the browser's address.
    private func signIn(secret: String? = nil, parameters: [String: String] = [:]) async throws -> [String: String] {
        let visited = Mutex<[String: String]>([:])
        let signIn = world.browser(world.openID { $0.clientSecret = secret }) { settings in
            settings.parameters = parameters
            let visit = settings.visit
            settings.visit = { settings throws(AuthError) in
                ObservedBrowser(try visit(settings)) { url in
                    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
                    visited.withLock { $0 = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") }) }
                }
            }
        }
        _ = try await signIn.credential()
        return visited.withLock { $0 }
    }

    @Test("The browser's address has only a reference, and the server has the request", arguments: [nil, "s:1"])
    func pushed(secret: String?) async throws {
        offer()
        let visited = try await signIn(secret: secret)
        #expect(visited == ["client_id": "desktop", "request_uri": "urn:ietf:params:oauth:request_uri:1"])
        let form = world.issuer.script.withLock { $0.forms[0] }
        #expect(form["state"]?.count == 43 && form["nonce"]?.count == 64 && form["code_challenge"]?.count == 43)
        #expect(form["client_id"] == "desktop" && form["redirect_uri"] == "http://127.0.0.1:1234/callback")
        #expect(form["client_secret"] == nil)
    }

    @Test("The app's parameters are pushed, and a refusal speaks of them")
    func parameters() async throws {
        offer()
        let visited = try await signIn(parameters: ["prompt": "none", "login_hint": "ada"])
        #expect(visited["prompt"] == nil && visited["login_hint"] == nil)
        let form = world.issuer.script.withLock { $0.forms[0] }
        #expect(form["prompt"] == "none" && form["login_hint"] == "ada")
        offer(required: true, refusal: "login_required")
        let error = await expectFailure(.requiresRecentLogin) { _ = try await signIn(parameters: ["prompt": "none"]) }
        #expect(error?.remedy == "Sign in again without prompt=none.")
    }

    @Test("If a server refuses pushed requests for this client, the request is sent plainly")
    func refused() async throws {
        offer(refusal: "unauthorized_client")
        let visited = try await signIn()
        #expect(visited["request_uri"] == nil && visited["state"]?.count == 43)
    }

    @Test("A server that requires pushed requests but refuses one ends the sign-in")
    func required() async throws {
        offer(required: true, refusal: "unauthorized_client")
        await expectFailure(\AuthError.code, .invalidClientID) { _ = try await signIn() }
    }

    @Test("An invalid reference is refused", arguments: ["", "urn:a b", "urn:\u{e9}"])
    func nonsense(reference: String) async throws {
        offer()
        world.issuer.change { $0.answers["/par"] = .success(.json(["request_uri": .string(reference)], status: 201)) }
        await expectFailure(\AuthError.code, .webInternalError) { _ = try await signIn() }
    }
}
