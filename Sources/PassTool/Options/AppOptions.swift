internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth

/// Who the app is, where its tokens are, and how the answer is printed.
struct AppOptions: ParsableArguments {
    @OptionGroup var identity: IdentityOptions

    @Option(help: "The access group whose store it is, instead of the app's private one.")
    var group: String?

    @Option(help: ArgumentHelp("The project; stores of different projects share nothing.", valueName: "key"))
    var project = "adobe.pass"

    @Option(help: "How the tokens are laid out.")
    var layout = Layout.separateBuckets

    @Option(help: ArgumentHelp("What the app's tokens are bound to.", valueName: "kind"))
    var device = DeviceKind.vendor

    @Option(help: ArgumentHelp("The file that holds the machine's id, instead of the system's.", valueName: "path"))
    var machineIDFile: String?

    @OptionGroup var store: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false
}

extension AppOptions {
    /// What the app works like.
    var preset: SDKPreset {
        SDKPreset(generation: layout.generation, mismatchPolicy: .ignore, device: device.kind)
    }
}
