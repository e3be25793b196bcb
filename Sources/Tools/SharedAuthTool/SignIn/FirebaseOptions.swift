internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import IdentityToolkit
internal import SharedAuth

/// The options for the Firebase project and its emulator.
struct FirebaseOptions: ParsableArguments {
    @Option(
        name: .customLong("api-key"),
        help: ArgumentHelp("The API key of the Firebase project, if it is not --project.", valueName: "key")
    )
    var apiKey: String?

    @Option(help: ArgumentHelp("An emulator of Firebase on this machine.", valueName: "host:port"))
    var emulator: String?

    @Option(help: ArgumentHelp("The tenant of the Firebase project.", valueName: "id"))
    var tenant: String?

    /// Indicates whether any of these options is given.
    var areGiven: Bool { apiKey != nil || emulator != nil || tenant != nil }

    /// Returns the identity provider for Firebase or its emulator.
    ///
    /// - Throws: A usage error without an API key, or for an emulator on another machine.
    func identityProvider(for app: AppOptions, browser: BrowserSettings = BrowserSettings()) throws -> IdentityToolkit {
        let project = app.project ?? Environment["SHAREDAUTH_PROJECT"]
        guard let key = apiKey ?? Environment["SHAREDAUTH_API_KEY"] ?? project else {
            throw ValidationError("Give the API key of the project, with --api-key or SHAREDAUTH_API_KEY.")
        }
        var settings = IdentityToolkit.Settings()
        settings.browser = browser
        let toolkit = IdentityToolkit(apiKey: key, settings: settings)
        if let emulator, !toolkit.useEmulator(onThisMachine: emulator) {
            throw ValidationError("--emulator takes the host and port of an emulator on this machine: 127.0.0.1:9099.")
        }
        return toolkit
    }
}
