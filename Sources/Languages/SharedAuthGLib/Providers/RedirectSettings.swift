internal import BrowserFlow
internal import BrowserSignIn
internal import CSharedAuthGLib
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuth

/// The construct-only properties of an identity provider that say how sign-ins in the browser return to the app.
struct RedirectSettings: Sendable {
    /// The address of the app's own scheme that sign-ins return to; nil for a listener on this machine.
    var uri: String?
    var path: String?
    var port: guint = 0
    var host: String?
    var parameters: [String]?
    var pageTitle: String?
    var pageMessage: String?

    /// Returns whether all settings are the same. The order of parameters does not matter.
    func isSame(as other: RedirectSettings) -> Bool {
        uri == other.uri && path == other.path && port == other.port && host == other.host
            && namedParameters == other.namedParameters && pageTitle == other.pageTitle
            && pageMessage == other.pageMessage
    }

    /// The parameters of sign-ins, of which the last of a name counts.
    var namedParameters: [String: String] {
        let pairs = (parameters ?? []).map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count == 2 ? parts[1] : "")
        }
        return Dictionary(pairs) { $1 }
    }

    /// Checks the parameters and the address.
    ///
    /// - Throws: `operationNotAllowed` if a parameter has no name, or if the address is not one of an app's own scheme.
    func check() throws(AuthError) {
        if let uri, OwnAddress.url(uri) == nil {
            throw AuthError(
                .operationNotAllowed,
                "The redirect URI of the identity provider is not an address of the app's own scheme.",
                remedy:
                    "Create the identity provider with a redirect-uri such as com.example.mail:/signed-in, in lower "
                    + "case and without a query, or without one to use an address of this machine."
            )
        }
        let flawed = (parameters ?? []).first { text in
            text.contains("\u{FFFD}") || text.first == "=" || !text.contains("=")
        }
        guard let flawed else { return }
        let name = flawed.prefix { $0 != "=" }
        throw AuthError(
            .operationNotAllowed,
            "A parameter of the identity provider is not of the form name=value: \(name).",
            remedy: "Create the identity provider with parameters such as prompt=login."
        )
    }

    /// The redirect URI to register; nil if it depends on what the server says about itself.
    var registeredURI: String? { uri ?? path.map { listenerURI(ofPath: $0) } }

    /// Returns the redirect URI to register for a path. It has a port only if the port is fixed.
    func listenerURI(ofPath path: String) -> String {
        "http://\(host ?? RedirectHost.address.rawValue)\(port == 0 ? "" : ":\(port)")\(path)"
    }

    /// Returns the settings of a sign-in in the browser, whose redirect `browser` also takes by hand.
    ///
    /// - Throws: `operationNotAllowed` if the host of redirects is not this machine.
    func settings(of browser: BrowserSettings) throws(AuthError) -> BrowserSettings {
        guard let host = host.map(RedirectHost.init) ?? .address else {
            throw AuthError(
                .operationNotAllowed,
                "The host of redirects is neither 127.0.0.1 nor localhost.",
                remedy: "Create the identity provider with one of them as redirect-host."
            )
        }
        var browser = browser
        browser.opener = desktopOpener
        browser.ownRedirectURI = uri.flatMap(OwnAddress.url)
        browser.redirectHost = host
        browser.redirectPort = port == 0 ? nil : UInt16(clamping: port)
        if let path { browser.redirectPath = path }
        browser.parameters = namedParameters
        if let page { browser.page = page }
        return browser
    }

    /// The last page of a sign-in; nil for the usual one.
    private var page: BrowserPage? {
        guard pageTitle != nil || pageMessage != nil else { return nil }
        return BrowserPage(
            title: pageTitle ?? Translation.of(BrowserPage.default.title),
            message: pageMessage ?? Translation.of(BrowserPage.default.message),
            language: languageOfProcess()
        )
    }
}

/// Returns the language of the process, as in HTML's `lang` attribute.
private func languageOfProcess() -> String {
    guard let names = unsafe g_get_language_names(), let first = unsafe names[0] else { return "en" }
    let name = unsafe String(cString: first).prefix { $0 != "." && $0 != "@" }
    return name == "C" || name == "POSIX" ? "en" : String(name).replacing("_", with: "-")
}

/// Emits `open-address` on the session whose call is running; without a handler, opens the desktop's browser.
private let desktopOpener = BrowserOpener { url throws(BrowserFlowError) in
    if let session = SessionCore.caller, await session.emitOpenAddress(url.absoluteString) { return }
    try await BrowserOpener.desktop.open(url)
}
