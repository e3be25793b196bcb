internal import ArgumentParser
internal import PassAuth

/// The kinds of device identity that can be told without the app.
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
