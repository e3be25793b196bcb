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

    /// Opens a web page. Returning does not mean that the user sees the page.
    ///
    /// - Throws: The error of the closure. ``desktop`` throws ``BrowserFlowError/Code/browserNotOpened``,
    ///   ``BrowserFlowError/Code/dismissed`` if the user dismisses the choice of a browser, and
    ///   ``BrowserFlowError/Code/cancelled`` if the task is cancelled.
    public func open(_ url: URL) async throws(BrowserFlowError) {
        try await work(url)
    }

    /// Opens the desktop's default browser: by the portal (`org.freedesktop.portal.OpenURI`) if the app is sandboxed or
    /// a portal is running, otherwise by the program `xdg-open`. The URL is among the arguments of the programs that
    /// open it, where all users of the machine can read it unless `/proc` is mounted with `hidepid`.
    /// ``RedirectListener`` therefore refuses an answer that, by the kernel's report, is another user's.
    public static let desktop = desktop(bus: .session, program: "xdg-open", isSandboxed: Sandbox.current != nil)

    /// Returns an opener like ``desktop``, with another bus and another program.
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
