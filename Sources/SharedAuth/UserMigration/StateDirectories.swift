internal import FoundationEssentials

/// The directories in which the apps of this person keep their choices of access group.
///
/// These are the person's own, `$XDG_STATE_HOME/sharedauth` or `~/.local/state/sharedauth`; of a Flatpak
/// `~/.var/app/ID/.local/state/sharedauth`; of a snap `~/snap/NAME/current/.local/state/sharedauth`; and those that an app
/// names itself (`Options.stateDirectory`), as far as they are given.
///
/// A sandboxed app owns the files below its home, and could put a symbolic link there that leads out of the sandbox: none is
/// followed. A Flatpak's home tells of that Flatpak's app alone, unless the directory is given.
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
        let found = (named + sandboxes).flatMap { place in
            (place.onlyAppID.map { [$0] } ?? place.folder.names()).filter { place.hasFiles($0, project, instance) }
        }
        return Set(found).sorted()
    }

    /// The journals of an app: all that are there, and those that its sandbox will look for. An app that has none gets one in the
    /// person's own directory, and in those that were given, as it may use one of them.
    func journals(of appID: String, _ project: String, _ instance: String) -> [Journal] {
        let (named, sandboxes) = (named, sandboxes)
        let found = (named + sandboxes).filter { $0.hasFiles(appID, project, instance) }
        let used = found + sandboxes.filter { $0.home == appID }
        var seen: Set<String> = []
        return (used.isEmpty ? named : used).filter { seen.insert($0.folder.path).inserted }.map { place in
            Journal(in: place.folder, appID: appID, project: project, instance: instance)
        }
    }

    /// A directory in which choices may be.
    private struct Place {
        let folder: Folder
        /// Whose home a sandbox has made there: the id of a Flatpak, or the name of a snap.
        var home: String?
        /// The only app whose files count: a Flatpak may write there what it likes, and has no say in where other apps are.
        var onlyAppID: String?

        func hasFiles(_ appID: String, _ project: String, _ instance: String) -> Bool {
            if let onlyAppID, onlyAppID != appID { return false }
            let files = folder.folder(appID, project)
            return ["json", "providers", "steps"].contains { suffix in files.contains("\(instance).\(suffix)") }
        }
    }

    /// The person's own directory, and those that were given: every app that has files there counts.
    private var named: [Place] { ([own] + given).map { Place(folder: folder(at: $0)) } }

    /// The directories in the homes that sandboxes have made for apps.
    private var sandboxes: [Place] {
        let flatpaks = Self.names(in: flatpakHomes).map { ("\(flatpakHomes)/\($0)", $0, Optional($0)) }
        // The name of a snap is not the id of its app.
        let snaps = Self.names(in: snapHomes).map { ("\(snapHomes)/\($0)/current", $0, String?.none) }
        return (flatpaks + snaps).filter { FileManager.default.fileExists(atPath: $0.0) }
            .map { path, name, id in
                Place(folder: Folder(inSandbox: path, [".local", "state", "sharedauth"]), home: name, onlyAppID: id)
            }
    }

    private var flatpakHomes: String { "\(home)/.var/app" }
    private var snapHomes: String { "\(home)/snap" }

    /// The directory at a path. Whoever names one below a sandbox's home, it is that app who writes there.
    private func folder(at path: String) -> Folder {
        let parts = path.split(separator: "/").filter { $0 != "." }
        for (homes, depth) in [(flatpakHomes, 1), (snapHomes, 2)] {
            let above = homes.split(separator: "/")
            guard parts.starts(with: above), parts.count > above.count + depth else { continue }
            let names = parts.dropFirst(above.count).map(String.init)
            return Folder(
                inSandbox: ([homes] + names.prefix(depth)).joined(separator: "/"),
                Array(names.dropFirst(depth))
            )
        }
        return Folder(path)
    }

    /// What a directory has, sorted; nothing if it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }
}
