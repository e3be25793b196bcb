internal import FoundationEssentials

/// The directories in which the apps of this person keep their choices of access group.
///
/// These are the person's own, `$XDG_STATE_HOME/sharedauth` or `~/.local/state/sharedauth`; of a Flatpak
/// `~/.var/app/ID/.local/state/sharedauth`; of a snap `~/snap/NAME/current/.local/state/sharedauth`; and those that an app
/// names itself (`Options.stateDirectory`), as far as they are given.
public struct StateDirectories: Sendable {
    /// The person's own directory.
    let own: String
    /// Those that were given.
    let given: [String]
    private let home: String

    /// The directories of the person whose process this is, and others that apps of theirs name in `Options.stateDirectory`.
    public init(adding given: [String] = []) {
        self.init(own: Journal.defaultDirectory, home: BaseDirectory.path("HOME", orInHome: ""), given: given)
    }

    init(own: String, home: String, given: [String]) {
        self.own = own
        self.home = home
        self.given = given
    }

    /// The ids of the apps that have files of a project, in alphabetical order.
    func appIDs(_ project: String, _ instance: String) -> [String] {
        let found = (sandboxes.map(\.directory) + [own] + given).flatMap { directory in
            Self.names(in: directory).filter { Self.hasFiles(directory, $0, project, instance) }
        }
        return Set(found).sorted()
    }

    /// The journals of an app: all that are there, and those that its sandbox will look for. An app that has none gets one in the
    /// person's own directory, and in those that were given, as it may use one of them.
    func journals(of appID: String, _ project: String, _ instance: String) -> [Journal] {
        let sandboxes = sandboxes
        let directories = ([own] + given + sandboxes.map(\.directory)).filter { directory in
            Self.hasFiles(directory, appID, project, instance)
        }
        let expected = sandboxes.filter { $0.appID == appID }.map(\.directory)
        let used = directories + expected.filter { !directories.contains($0) }
        return (used.isEmpty ? [own] + given : used).map { directory in
            Journal(directory: directory, appID: appID, project: project, instance: instance)
        }
    }

    /// The apps that a sandbox has made a home for, and where their state is.
    private var sandboxes: [(appID: String, directory: String)] {
        let flatpaks = Self.names(in: "\(home)/.var/app").map { ($0, "\(home)/.var/app/\($0)") }
        let snaps = Self.names(in: "\(home)/snap").map { ($0, "\(home)/snap/\($0)/current") }
        return (flatpaks + snaps).filter { FileManager.default.fileExists(atPath: $0.1) }
            .map { ($0.0, "\($0.1)/.local/state/sharedauth") }
    }

    private static func hasFiles(
        _ directory: String,
        _ appID: String,
        _ project: String,
        _ instance: String
    ) -> Bool {
        ["json", "providers", "steps"].contains { suffix in
            FileManager.default.fileExists(atPath: "\(directory)/\(appID)/\(project)/\(instance).\(suffix)")
        }
    }

    /// What a directory has, sorted; nothing if it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }
}
