package import DesktopSupport
public import FoundationEssentials

/// Opens the user's browser.
///
/// ``desktop`` opens the desktop's default browser. An app can provide its own opener: to choose another browser, to
/// show the URL as text or as a QR code, or for tests.
public struct BrowserOpener: Sendable {
    private let work: @Sendable (URL) async throws(BrowserFlowError) -> Void

    /// Creates an opener from a closure. It must throw ``BrowserFlowError/Code/browserNotOpened`` if it cannot open the
    /// URL.
    public init(_ work: @escaping @Sendable (URL) async throws(BrowserFlowError) -> Void) {
        self.work = work
    }

    /// Opens a web page.
    ///
    /// Throws ``BrowserFlowError``. Returning does not mean that the user sees the page.
    public func open(_ url: URL) async throws(BrowserFlowError) {
        try await work(url)
    }

    /// The desktop's way: the portal (`org.freedesktop.portal.OpenURI`) if the app is sandboxed or a portal is running,
    /// otherwise the program `xdg-open`. The URL is among the arguments of the programs that open it, where all users
    /// of the machine can read it unless `/proc` is mounted with `hidepid`. ``RedirectListener`` therefore accepts an
    /// answer only from this user's programs.
    public static let desktop = desktop(bus: .session, program: "xdg-open", isSandboxed: Sandbox.current != nil)

    /// The desktop's way, with another bus and another program.
    package static func desktop(bus: BusAddress, program: String, isSandboxed: Bool) -> BrowserOpener {
        BrowserOpener { url throws(BrowserFlowError) in
            // The program would also open files, and treat a URL that begins with a hyphen as an option.
            guard ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
                throw BrowserFlowError(.browserNotOpened, "The URL to open is not a web URL: use https.")
            }
            let portal = DesktopPortal(bus: bus, startsIt: isSandboxed)
            if try await portal.open(url) { return }
            guard !isSandboxed else {
                throw BrowserFlowError(
                    .browserNotOpened,
                    "The desktop's portal, with which a sandboxed app opens the browser, does not respond.",
                    remedy:
                        "Install xdg-desktop-portal and its backend for this desktop, or open the URL manually."
                )
            }
            try await OpeningProgram(name: program).open(url)
        }
    }
}
