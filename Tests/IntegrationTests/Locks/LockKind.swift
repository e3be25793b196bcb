import TestSupport

/// The two kinds of lock, which pass the same tests.
enum LockKind: String, CaseIterable, Sendable {
    case busName = "bus-name"
    case file

    /// What a peer process is started with.
    func argument(in world: TestApp.World) -> String {
        switch self {
        case .busName: rawValue
        case .file: "file:\(world.keyring.directory)/locks"
        }
    }
}
