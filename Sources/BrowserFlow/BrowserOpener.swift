package import DesktopSupport
public import FoundationEssentials

/// Opens the person's browser.
///
/// ``desktop`` does so as the desktop has it. An app can bring its own: to ask for another browser, to show the address as
/// text or as a code to scan, or for tests.
public struct BrowserOpener: Sendable {
    private let work: @Sendable (URL) async throws(BrowserFlowError) -> Void

    /// An opener of the app's own. It throws ``BrowserFlowError/Code/browserNotOpened`` if it cannot open the address.
    public init(_ work: @escaping @Sendable (URL) async throws(BrowserFlowError) -> Void) {
        self.work = work
    }

    /// Opens a web address.
    ///
    /// Throws ``BrowserFlowError``. That it returns does not say that the person sees the page.
    public func open(_ url: URL) async throws(BrowserFlowError) {
        try await work(url)
    }

    /// The desktop's way: the portal (`org.freedesktop.portal.OpenURI`) inside a sandbox and wherever it runs, else the
    /// program `xdg-open`. The address is among the arguments of the programs that open it, where all users of the machine can read it
    /// unless `/proc` is mounted with `hidepid`: ``RedirectListener`` takes an answer from this user's programs only.
    public static let desktop = desktop(bus: .session, program: "xdg-open", isSandboxed: Sandbox.current != nil)

    /// The desktop's way, on another bus and by another program.
    package static func desktop(bus: BusAddress, program: String, isSandboxed: Bool) -> BrowserOpener {
        BrowserOpener { url throws(BrowserFlowError) in
            // The opener would also open files, and read an address that begins with a hyphen as an option.
            guard ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
                throw BrowserFlowError(.browserNotOpened, "The address to open is not a web address: use https.")
            }
            let portal = DesktopPortal(bus: bus, startsIt: isSandboxed)
            if try await portal.open(url) { return }
            guard !isSandboxed else {
                throw BrowserFlowError(
                    .browserNotOpened,
                    "The desktop's portal, by which an app in a sandbox opens the browser, does not answer.",
                    remedy:
                        "Install xdg-desktop-portal and the part of it for this desktop, or open the address by hand."
                )
            }
            try await OpeningProgram(name: program).open(url)
        }
    }
}
