import BrowserFlow
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("The time of the user in a sign-in")
struct SignInTimeTests {
    private let world = IssuerFixture()

    /// A sign-in with a listener on this machine and a browser that does nothing but `open`.
    private func signIn(_ openID: OpenIDConnect, open: @escaping @Sendable (URL) async -> Void = { _ in })
        -> OpenIDSignIn
    {
        var settings = BrowserSettings()
        settings.opener = BrowserOpener { url throws(BrowserFlowError) in await open(url) }
        var signIn = OpenIDSignIn(openID, browser: settings)
        signIn.timeout = .milliseconds(1500)
        return signIn
    }

    @Test(
        "An unfinished sign-in names redirect address and added scope, whoever measures",
        arguments: [true, false]
    )
    func address(byAuth: Bool) async throws {
        let openID = world.openID()
        let auth = try world.app(openID)
        let signIn = signIn(openID)
        let error = await expectFailure(.timedOut) {
            if byAuth { _ = try await auth.signIn(with: signIn) } else { _ = try await signIn.credential() }
        }
        #expect(error?.message == "The sign-in was not finished within 1500 milliseconds.")
        #expect(error?.remedy?.contains("register http://127.0.0.1/callback for the client") == true)
        #expect(error?.remedy?.contains("offline_access") == true)
    }

    @Test("An unfinished sign-in names the last refused redirect, whoever measures", arguments: [true, false])
    func refusal(byAuth: Bool) async throws {
        let openID = world.openID()
        let auth = try world.app(openID)
        let signIn = signIn(openID) { url in
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let redirect = items.first { $0.name == "redirect_uri" }?.value ?? ""
            guard let back = URL(string: "\(redirect)?state=other&code=x") else { return }
            _ = try? await HTTPClient().send(HTTPRequest(.get, back), retrying: .never)
        }
        let error = await expectFailure(.timedOut) {
            if byAuth { _ = try await auth.signIn(with: signIn) } else { _ = try await signIn.credential() }
        }
        #expect(error?.message.contains("A redirect was refused: the redirect belongs to another sign-in") == true)
    }

    @Test("A code that nobody enters ends with the same words", arguments: [true, false])
    func code(byAuth: Bool) async throws {
        world.issuer.change { $0.deviceAnswers = Array(repeating: "authorization_pending", count: 100_000) }
        let openID = world.openID()
        let auth = try world.app(openID)
        var signIn = DeviceSignIn(openID) { _ in }
        signIn.timeout = byAuth ? .milliseconds(1500) : .seconds(60)
        let error = await expectFailure(.timedOut) { [signIn] in
            if byAuth { _ = try await auth.signIn(with: signIn) } else { _ = try await signIn.credential() }
        }
        let words = byAuth ? "1500 milliseconds" : "1 minute"
        #expect(byAuth || error?.message == "The sign-in was not finished within \(words).")
    }

    @Test(
        "A duration is told in words",
        arguments: [
            (Duration.seconds(300), "5 minutes"), (.seconds(60), "1 minute"), (.seconds(90), "90 seconds"),
            (.seconds(1), "1 second"), (.milliseconds(1500), "1500 milliseconds"), (.zero, "0 seconds"),
            (.seconds(Int64.max / 2), "76861433640456465 minutes"),
        ]
    )
    func words(_ duration: Duration, _ words: String) {
        #expect(duration.inWords == words || duration > .seconds(1 << 50))
    }
}
