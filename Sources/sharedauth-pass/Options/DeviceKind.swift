internal import ArgumentParser

/// The kinds of device identity that can be told without the app.
enum DeviceKind: String, CaseIterable, ExpressibleByArgument {
    case vendor
    case machine
    case advertising
}
