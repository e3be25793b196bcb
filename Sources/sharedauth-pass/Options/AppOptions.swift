internal import ArgumentParser
internal import ToolConventions

/// Who the app is, where its tokens are, and how the answer is printed.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app id in reverse DNS form.", valueName: "id"))
    var appID: String?

    @Option(help: ArgumentHelp("The team id; access groups then start with it, or with 'group.'.", valueName: "id"))
    var teamID: String?

    @Option(help: ArgumentHelp("An access group that the app declares; may be repeated.", valueName: "group"))
    var declare: [String] = []

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
