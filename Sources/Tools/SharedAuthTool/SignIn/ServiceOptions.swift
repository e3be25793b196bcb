internal import ArgumentParser
internal import BrowserFlow
internal import CommandLineSupport
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// The options for the redirect address of a sign-in by browser.
struct RedirectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The port of the redirect address, if the service requires one.", valueName: "port")
    )
    var redirectPort: UInt16?

    @Option(
        help: ArgumentHelp(
            "The host name of the redirect address: 127.0.0.1 (the default) or localhost.",
            valueName: "host"
        )
    )
    var redirectHost: String?

    var areGiven: Bool { redirectPort != nil || redirectHost != nil }

    func validate() throws {
        if let redirectHost, RedirectHost(rawValue: redirectHost) == nil {
            throw ValidationError("--redirect-host takes 127.0.0.1 or localhost.")
        }
    }

    /// Applies the options to the settings.
    func apply(to settings: inout BrowserSettings) {
        settings.redirectPort = redirectPort
        settings.redirectHost = redirectHost.flatMap(RedirectHost.init) ?? .address
    }
}

/// The options for a sign-in by browser.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Sign in at another service, by its Firebase id, e.g. github.com.", valueName: "id")
    )
    var provider: String?

    @OptionGroup var redirect: RedirectOptions

    @Option(help: ArgumentHelp("A parameter to add to the request; may be repeated.", valueName: "name=value"))
    var parameter: [String] = []

    @Option(
        help: ArgumentHelp(
            "What the provider asks the user: login, consent, select_account or none.",
            valueName: "what"
        )
    )
    var prompt: String?

    @Flag(help: "Read the address of the browser's last page from standard input.")
    var paste = false

    func validate() throws {
        let parameters = try parameters()
        do throws(AuthError) {
            try OpenIDConnect.check(parameters)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// - Throws: A usage error if an address is to be pasted, and no browser is sent back to the tool.
    func check(isByCode: Bool) throws {
        if isByCode && paste { throw ValidationError("--paste goes with a sign-in by browser.") }
    }

    /// Returns the parameters to add to the request.
    ///
    /// - Throws: A usage error if one has no name, or is given twice.
    func parameters() throws -> [String: String] {
        var parameters: [String: String] = [:]
        for text in parameter + (prompt.map { ["prompt=\($0)"] } ?? []) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("--parameter takes a name and a value: name=value.")
            }
            guard parameters.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw ValidationError("The parameter \(parts[0]) is given twice.")
            }
        }
        return parameters
    }

    /// Returns the browser settings.
    ///
    /// - Parameters:
    ///   - pasted: Reads the addresses that the user pastes.
    ///   - canUseCode: Whether the user can also sign in with a code.
    func browser(_ pasted: PastedAddresses, canUseCode: Bool) throws -> BrowserSettings {
        var settings = BrowserSettings.ofTool(pasted, canUseCode: canUseCode)
        redirect.apply(to: &settings)
        settings.parameters = try parameters()
        return settings
    }
}

extension BrowserSettings {
    /// Returns settings for the desktop's browser. The address is also printed, in case no browser can be opened from
    /// here.
    fileprivate static func ofTool(_ pasted: PastedAddresses, canUseCode: Bool) -> BrowserSettings {
        let port = Port()
        var settings = BrowserSettings()
        settings.listening = { port.number.store($0.port ?? 80, ordering: .relaxed) }
        settings.refused = { refusal in
            guard refusal.concernsSignIn else { return }
            StandardError.write(line: "A redirect was refused. \(refusal.reason). \(refusal.remedy)")
        }
        let waiting = settings
        settings.opener = BrowserOpener { url throws(BrowserFlowError) in
            StandardError.write(line: "Sign in in the browser that opens, or open this address in one on this machine:")
            StandardError.write(line: url.absoluteString)
            for place in Whereabouts.here {
                let hint = place.hint(
                    port: port.number.load(ordering: .relaxed),
                    canPaste: pasted.areRead,
                    canUseCode: canUseCode
                )
                StandardError.write(line: hint)
            }
            StandardError.sayThatItWaits()
            pasted.begin(waiting)
            do throws(BrowserFlowError) {
                try await BrowserOpener.desktop.open(url)
            } catch {
                // The user may open the address in a browser that this process cannot.
                guard error.code == .browserNotOpened else { return }
                let ways = [
                    "Open the address above in a browser on this machine",
                    pasted.areRead ? nil : "run it again with --paste", canUseCode ? "sign in with --device" : nil,
                ]
                StandardError.write(line: "\(error.message) \(ways.compactMap(\.self).joined(separator: ", or ")).")
            }
        }
        return settings
    }
}

/// The port that the sign-in listens at.
private final class Port: Sendable {
    let number = Atomic(0)
}

extension StandardError {
    /// Writes that the tool waits for the user.
    static func sayThatItWaits() {
        write(line: "Waiting for the sign-in, 5 minutes at most; Ctrl-C cancels it.")
    }
}
