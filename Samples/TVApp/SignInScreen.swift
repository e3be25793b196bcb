import BrowserFlow
import FoundationEssentials
import PassAuth
import Synchronization

/// The screen on which the user signs in.
protocol SignInScreen: Sendable {
    /// The settings for the AccessEnabler.
    var settings: AccessEnabler.Settings { get }

    /// Returns the addresses to which a page redirects at the end.
    func addresses(of page: String) -> AsyncThrowingStream<String, any Error>

    /// Shows a code for another screen.
    func show(code: String) async

    /// Shows the result if the browser waits for it.
    func end(_ title: String, _ message: String)
}

extension SignInScreen {
    func show(code: String) async {}
    func end(_ title: String, _ message: String) {}
}

/// The browser, with a redirect to an address of this machine.
final class BrowserScreen: SignInScreen {
    private let listener: RedirectListener
    private let state = UUID().uuidString
    private let visit = Mutex<RedirectVisit?>(nil)

    init() throws(BrowserFlowError) { listener = try RedirectListener(page: Self.page) }

    /// The page for a browser that waits too long.
    private static let page = BrowserPage(title: "Back to the television", message: "You can close this page.")

    private var address: String { "\(listener.redirectURI.absoluteString)?state=\(state)" }

    var settings: AccessEnabler.Settings { AccessEnabler.Settings(redirectURL: address) }

    func addresses(of page: String) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let waiting = Task {
                do throws(BrowserFlowError) {
                    let visit = try await listener.visit(matching: state)
                    self.visit.withLock { $0 = visit }
                    continuation.yield(address)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in waiting.cancel() }
        }
    }

    func end(_ title: String, _ message: String) {
        visit.withLock { $0 }?.show(BrowserPage(title: title, message: message))
    }
}

/// The browser, with a redirect to an address of the app's own scheme: the desktop starts another process of the app,
/// which passes the address on over the bus. See `com.example.tv.desktop`.
struct SchemeScreen: SignInScreen {
    static let scheme = "com.example.tv"
    private let listener: SchemeListener

    init() throws(BrowserFlowError) { listener = try SchemeListener(scheme: Self.scheme) }

    var settings: AccessEnabler.Settings { AccessEnabler.Settings(redirectURL: "\(Self.scheme)://signed-in") }

    func addresses(of page: String) -> AsyncThrowingStream<String, any Error> {
        let addresses = listener.addresses
        return AsyncThrowingStream { continuation in
            let waiting = Task {
                for await address in addresses { continuation.yield(address) }
                continuation.finish()
            }
            continuation.onTermination = { _ in waiting.cancel() }
        }
    }

    /// Passes an address to the process that waits for it.
    static func hand(over address: String) throws {
        guard try SchemeListener.hand(over: address, scheme: scheme) else {
            throw Trouble("No television waits for a sign-in. Start it, and sign in again.")
        }
        say("Handed over to the television.")
    }
}

/// Another screen, on which the user types a code.
struct CodeScreen: SignInScreen {
    let server: String

    var settings: AccessEnabler.Settings { AccessEnabler.Settings(screen: .second, pollInterval: .seconds(1)) }

    func addresses(of page: String) -> AsyncThrowingStream<String, any Error> { AsyncThrowingStream { $0.finish() } }

    func show(code: String) async {
        say("Open \(server)/activate on any screen, and type the code\n    \(code)")
        QRCode.show("\(server)/activate?code=\(code)")
    }
}
