import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("Redirects that are passed on by hand")
struct PastedRedirectTests {
    private let world = IssuerFixture()

    /// A sign-in whose browser never comes back, and the address of the redirect.
    private func start(
        timeout: Duration = .seconds(300),
        _ use: @escaping @Sendable (OpenIDSignIn, _ address: String, _ state: String) -> Void
    ) async throws -> AuthCredential {
        let signIn = Mutex<OpenIDSignIn?>(nil)
        let issuer = world.issuer
        let opened = world.browser(world.openID()) { settings in
            settings.visit = { _ in
                SilentBrowser { url in
                    let items = issuer.authorize(url).sorted { $0.key < $1.key }
                    let query = items.map {
                        "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? "")"
                    }
                    guard let signIn = signIn.withLock({ $0 }) else { return }
                    use(
                        signIn,
                        "http://127.0.0.1:1234/callback?\(query.joined(separator: "&"))",
                        issuer.authorized(url)
                    )
                }
            }
        }
        var limited = opened
        limited.timeout = timeout
        signIn.withLock { [limited] in $0 = limited }
        return try await limited.credential()
    }

    @Test(
        "The address of the redirect finishes the sign-in, however it was copied",
        arguments: ["ADDRESS", "  ADDRESS\n", "\"ADDRESS\"", "<ADDRESS>", "ADDRESS#_=_"]
    )
    func pasted(_ form: String) async throws {
        let credential = try await start { signIn, address, _ in
            #expect(throws: Never.self) { try signIn.handle(redirect: form.replacing("ADDRESS", with: address)) }
        }
        guard case .oauth(let content) = credential.content else { return #expect(Bool(false)) }
        #expect(content.idToken != nil)
    }

    static let wrong: [@Sendable (String, String) -> String] = [
        { address, state in address.replacing(state, with: "other") },
        { address, _ in address.replacing("127.0.0.1:1234", with: "127.0.0.1:1235") },
        { address, _ in address.replacing("127.0.0.1", with: "evil.example") },
        { address, _ in address.replacing("/callback", with: "/other") },
        { address, _ in address.replacing("issuer", with: "evil") },
        { address, _ in "\(address)&code=twice" },
        { address, _ in String(address.drop { $0 != "?" }) },
        { _, _ in "" }, { _, _ in "code" }, { _, _ in "http://127.0.0.1:1234/callback" },
        { address, _ in "\(address)&x=\(String(repeating: "x", count: 70_000))" },
    ]

    @Test("A wrong address is refused without its code, and the sign-in goes on waiting", arguments: wrong.indices)
    func wrongAddress(_ index: Int) async throws {
        _ = try await start { signIn, address, state in
            do throws(AuthError) {
                try signIn.handle(redirect: Self.wrong[index](address, state))
                Issue.record("It was accepted.")
            } catch {
                #expect(error.code == .invalidCredential)
                for secret in ["code-", state] { #expect(!"\(error)".contains(secret)) }
            }
            #expect(throws: Never.self) { try signIn.handle(redirect: address) }
        }
    }

    @Test("After a sign-in, the same address is refused")
    func second() async throws {
        let used = Mutex<(OpenIDSignIn, String)?>(nil)
        _ = try await start { signIn, address, _ in
            used.withLock { $0 = (signIn, address) }
            #expect(throws: Never.self) { try signIn.handle(redirect: address) }
            #expect(throws: AuthError.self) { try signIn.handle(redirect: address) }
        }
        let (signIn, address) = try #require(used.withLock { $0 })
        do throws(AuthError) {
            try signIn.handle(redirect: address)
            Issue.record("It was accepted.")
        } catch {
            #expect(error.code == .operationNotAllowed && error.message.hasPrefix("No sign-in waits"))
        }
    }

    @Test("An error in a pasted redirect ends the sign-in like one from the browser")
    func declined() async throws {
        world.issuer.change { script in
            script.changeRedirect = { ($0["code"], $0["error"]) = (nil, "access_denied") }
        }
        await expectFailure(.webContextCancelled) {
            _ = try await start { signIn, address, _ in
                #expect(throws: Never.self) { try signIn.handle(redirect: address) }
            }
        }
    }

    @Test("A sign-in that is cancelled waits for no address")
    func cancelled() async throws {
        let opened = Mutex<OpenIDSignIn?>(nil)
        let (isOpen, open) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await start { signIn, _, _ in
                opened.withLock { $0 = signIn }
                open.yield()
            }
        }
        for await _ in isOpen { break }
        task.cancel()
        await expectFailure(.webContextCancelled) { _ = try await task.value }
        let signIn = try #require(opened.withLock { $0 })
        do throws(AuthError) {
            try signIn.handle(redirect: "http://127.0.0.1:1234/callback?state=x")
            Issue.record("It was accepted.")
        } catch {
            #expect(error.code == .operationNotAllowed)
        }
    }
}

extension ScriptedIssuer {
    /// The state of a sign-in page.
    fileprivate func authorized(_ url: URL) -> String {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }?.value ?? ""
    }
}
