internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// Prints the device id that tokens are bound to.
struct DeviceID: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "device-id",
        abstract: "Print the device fingerprint in the app's tokens, as servers see it, and its source.",
        examples: [
            "sharedauth pass device-id",
            "sharedauth pass device-id --device machine --json",
        ]
    )

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let device = try app.device()
        var table = Table(of: app)
        table.add("kind", "kind", options.device.rawValue)
        table.add("fingerprint", "fingerprint", device.identity.fingerprint)
        table.add("source", "comes from", device.source)
        if let warning = device.machine?.warning { table.add("warning", "warning", warning) }
        try table.print(asJSON: options.app.json)
    }
}

extension Device {
    fileprivate var source: String {
        switch machine?.source {
        case .file(let path): path
        case .standIn: "a random id in the store, because there is no machine id"
        case nil: "a random id in the store"
        }
    }
}
