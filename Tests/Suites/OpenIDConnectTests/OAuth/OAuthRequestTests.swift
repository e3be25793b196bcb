import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests what an app adds to a sign-in at a server that issues no ID tokens.
struct OAuthRequestTests {
    private let world = IssuerFixture()

    init() { world.issuer.change { $0.changeTokens = { $0["id_token"] = nil } } }

    @Test("Parameters of the app go into the request, in the browser and for a code")
    func parameters() async throws {
        let oauth2 = world.oauth2()
        let settings = world.settings { $0.parameters = ["prompt": "consent"] }
        _ = try await OAuthSignIn(oauth2, browser: settings).credential()
        #expect(world.issuer.script.withLock { $0.pages.first?["prompt"] } == "consent")
        var device = DeviceSignIn(oauth2) { _ in }
        device.parameters = ["audience": "feeds"]
        _ = try await device.credential()
        #expect(world.issuer.script.withLock { $0.deviceForm["audience"] } == "feeds")
    }

    @Test("A parameter that is set already is refused before the server is asked")
    func reserved() async throws {
        let settings = world.settings { $0.parameters = ["scope": "all"] }
        await expectFailure(.operationNotAllowed) {
            try await OAuthSignIn(world.oauth2(), browser: settings).credential()
        }
        #expect(world.issuer.asked.isEmpty)
    }

    @Test("The address of the redirect finishes a sign-in by hand")
    func pasted() async throws {
        let running = Mutex<OAuthSignIn?>(nil)
        let settings = world.settings { settings in
            settings.visit = { [issuer = world.issuer] _ in
                SilentBrowser { url in
                    var address = URLComponents(string: "http://127.0.0.1:1234/callback")
                    address?.queryItems = issuer.authorize(url).map { URLQueryItem(name: $0.key, value: $0.value) }
                    guard let signIn = running.withLock({ $0 }), let text = address?.string else { return }
                    #expect(throws: Never.self) { try signIn.handle(redirect: text) }
                }
            }
        }
        let signIn = OAuthSignIn(world.oauth2(), browser: settings)
        running.withLock { $0 = signIn }
        let credential = try await signIn.credential()
        guard case .oauth(let content) = credential.content else { return #expect(Bool(false)) }
        #expect(content.accessToken?.token.hasPrefix("access-") == true)
    }
}
