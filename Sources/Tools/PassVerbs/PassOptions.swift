internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth

/// The options of all verbs of `pass`: the app, and the storage of its tokens.
struct PassOptions: ParsableArguments {
    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    @Option(help: "Use the store of this access group instead of the app's private store.")
    var group: String?

    @Option(help: "The layout of the stored tokens.")
    var layout = Layout.separateBuckets

    @Option(help: ArgumentHelp("The kind of device id that the app's tokens are bound to.", valueName: "kind"))
    var device = DeviceKind.vendor

    @Option(help: ArgumentHelp("The file that holds the machine's id, instead of the system's.", valueName: "path"))
    var machineIDFile: String?

    /// The project that scopes the tokens.
    var project: String { app.project ?? "adobe.pass" }

    /// The SDK behaviour that these options select.
    var preset: SDKPreset {
        SDKPreset(generation: layout.generation, mismatchPolicy: .ignore, device: device.kind)
    }
}

/// The layouts of token stores, by their names on the command line.
enum Layout: String, CaseIterable, ExpressibleByArgument {
    case singleSlot = "single-slot"
    case perProgrammer = "per-programmer"
    case buckets = "buckets"
    case separateBuckets = "separate-buckets"
    case privateBuckets = "private-buckets"

    var generation: StorageGeneration {
        switch self {
        case .singleSlot: .singleSlot
        case .perProgrammer: .perProgrammer
        case .buckets: .buckets
        case .separateBuckets: .separateBuckets
        case .privateBuckets: .privateBuckets
        }
    }
}

/// The kinds of device identity that can be determined without the app.
enum DeviceKind: String, CaseIterable, ExpressibleByArgument {
    case vendor
    case machine
    case advertising

    var kind: DeviceIdentity.Kind {
        switch self {
        case .vendor: .vendor
        case .machine: .machine
        case .advertising: .advertising
        }
    }
}

/// The TV providers that a programmer works with.
struct MVPDOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A TV provider (MVPD) that the programmer works with; may be repeated. Without it, all TV providers with "
                + "a stored token.",
            valueName: "id"
        )
    )
    var mvpd: [String] = []

    /// Returns the TV providers of the option, or those of the stored tokens if the option is absent.
    func mvpds(of stored: [StoredToken]) -> Set<String> {
        Set(mvpd.isEmpty ? stored.map(\.token.mvpd) : mvpd)
    }

    /// Returns a programmer's configuration, derived from stored tokens. A TV provider counts as per-requestor if at
    /// least one of its stored tokens is per-requestor.
    func configuration(of requestor: String, with stored: [MVPDIntegration]) -> RequestorConfiguration {
        RequestorConfiguration(
            id: requestor,
            integrations: Set(mvpd.isEmpty ? stored.map(\.mvpd) : mvpd).sorted().map { mvpd in
                stored.first { $0.mvpd == mvpd && $0.isPerRequestor } ?? MVPDIntegration(mvpd: mvpd)
            }
        )
    }
}
