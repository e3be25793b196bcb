import BrowserFlow
import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("Redirects to the app's own scheme")
struct OwnSchemeTests {
    private let world = IssuerFixture()
    private let address = "com.example.mail:/signed-in"

    /// Returns a sign-in whose browser does what `use` does with the address of the redirect.
    private func signIn(
        _ use: @escaping @Sendable (BrowserSettings, _ redirect: String) throws(BrowserFlowError) -> Void
    ) -> OpenIDSignIn {
        var settings = BrowserSettings()
        settings.ownRedirectURI = URL(string: address)
        let (issuer, address, shared) = (world.issuer, address, settings)
        settings.opener = BrowserOpener { url throws(BrowserFlowError) in
            let items = issuer.authorize(url).map { name, value in
                "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? "")"
            }
            try use(shared, "\(address)?\(items.joined(separator: "&"))")
        }
        return OpenIDSignIn(world.openID(), browser: settings)
    }

    @Test("Whoever gets the address that the desktop opens the app with passes it on")
    func passedOn() async throws {
        let credential = try await signIn { settings, redirect throws(BrowserFlowError) in
            #expect(throws: Never.self) { try settings.handle(redirect: redirect) }
        }.credential()
        guard case .oauth(let content) = credential.content else { return #expect(Bool(false)) }
        #expect(content.idToken != nil)
        #expect(world.issuer.script.withLock { $0.forms.first?["redirect_uri"] } == address)
    }

    @Test("A sign-in that nobody finishes ends with its time, and can be cancelled")
    func unfinished() async throws {
        var limited = signIn { _, _ in }
        limited.timeout = .milliseconds(1)
        await expectFailure(.timedOut) { [limited] in _ = try await limited.credential() }
        let (opened, hasOpened) = AsyncStream.makeStream(of: Void.self)
        let endless = signIn { _, _ in hasOpened.yield() }
        let task = Task { try await endless.credential() }
        for await _ in opened { break }
        task.cancel()
        await expectFailure(.webContextCancelled) { _ = try await task.value }
    }

    @Test("A browser that cannot be opened ends the sign-in")
    func notOpened() async {
        let signIn = signIn { _, _ throws(BrowserFlowError) in
            throw BrowserFlowError(.browserNotOpened, "There is none.")
        }
        await expectFailure(.webSignInUserInteractionFailure) { _ = try await signIn.credential() }
    }

    @Test("The address is registered as it is, also at a server that does not name itself")
    func registered() {
        var settings = BrowserSettings()
        settings.ownRedirectURI = URL(string: address)
        #expect(settings.separating("https://issuer.example", namesItself: false).registeredAddress == address)
    }
}
