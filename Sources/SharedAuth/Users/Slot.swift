/// Where auth state is kept: an app's own place, or the place that the apps of an access group share.
enum Slot: Sendable, Hashable, Codable {
    case own
    case group(String)

    init(_ group: AccessGroup?) {
        self = if let group { .group(group.name) } else { .own }
    }

    /// The slot in words, for error messages.
    var description: String {
        switch self {
        case .own: "the app's own slot"
        case .group(let name): "access group \(name)"
        }
    }

    /// The name of the group; nil for the own slot.
    var groupName: String? {
        if case .group(let name) = self { name } else { nil }
    }
}
