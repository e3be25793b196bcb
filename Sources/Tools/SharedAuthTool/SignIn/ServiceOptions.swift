internal import ArgumentParser
internal import BrowserFlow
internal import CommandLineSupport
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth

/// The options for a sign-in at another service, in the browser, for a Firebase project.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Sign in at another service, by its Firebase id, e.g. github.com.", valueName: "id")
    )
    var provider: String?

    @Option(
        help: ArgumentHelp("The port of the redirect address, if the service requires one.", valueName: "port")
    )
    var redirectPort: UInt16?

    /// The browser settings.
    var browser: BrowserSettings { .ofTool(redirectPort: redirectPort) }
}

extension BrowserSettings {
    /// Returns settings for the desktop's browser. The address is also printed, in case no browser can be opened from
    /// here.
    static func ofTool(redirectPort: UInt16? = nil) -> BrowserSettings {
        var settings = BrowserSettings()
        settings.redirectPort = redirectPort
        settings.opener = BrowserOpener { url throws(BrowserFlowError) in
            StandardError.write(line: "Sign in in the browser that opens, or open this address in one on this machine:")
            StandardError.write(line: url.absoluteString)
            StandardError.sayThatItWaits()
            // The user may open the address in a browser that this process cannot.
            try? await BrowserOpener.desktop.open(url)
        }
        return settings
    }
}

extension StandardError {
    /// Writes that the tool waits for the user.
    static func sayThatItWaits() {
        write(line: "Waiting for the sign-in, 5 minutes at most; Ctrl-C cancels it.")
    }
}
