internal import ArgumentParser
internal import BrowserFlow
internal import CommandLineSupport
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth

/// At which service a person signs in, in the browser, for a project of Firebase.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Sign in at another service, as Firebase calls it, e.g. github.com.", valueName: "id")
    )
    var provider: String?

    @Option(
        help: ArgumentHelp("The port that the browser comes back to, where a service wants one.", valueName: "port")
    )
    var redirectPort: UInt16?

    /// How the browser is used.
    var browser: BrowserSettings { .ofTool(redirectPort: redirectPort) }
}

extension BrowserSettings {
    /// The browser of the desktop; the address is printed all the same, for one that cannot be opened from here.
    static func ofTool(redirectPort: UInt16? = nil) -> BrowserSettings {
        var settings = BrowserSettings()
        settings.redirectPort = redirectPort
        settings.opener = BrowserOpener { url throws(BrowserFlowError) in
            StandardError.write(line: "Sign in in the browser that opens, or open this address in one on this machine:")
            StandardError.write(line: url.absoluteString)
            StandardError.sayThatItWaits()
            // Where there is no browser to open, the person may have one.
            try? await BrowserOpener.desktop.open(url)
        }
        return settings
    }
}

extension StandardError {
    /// Says that a person is waited for.
    static func sayThatItWaits() {
        write(line: "Waiting for the sign-in, 5 minutes at most; Ctrl-C cancels it.")
    }
}
