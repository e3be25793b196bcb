internal import FoundationEssentials

/// The directories in which the apps of this user keep their access-group choices.
///
/// These are the user's own directory, `$XDG_STATE_HOME/sharedauth` or `~/.local/state/sharedauth`; for a Flatpak
/// `~/.var/app/ID/.local/state/sharedauth`; for a snap `~/snap/NAME/current/.local/state/sharedauth`; and the given
/// directories, which apps set themselves (`Options.stateDirectory`).
///
/// A sandboxed app owns the files below its home, and could put a symbolic link there that leads out of the sandbox.
/// Such links are not followed. The home of a Flatpak counts only for that Flatpak's app, unless the directory is
/// given.
public struct StateDirectories: Sendable {
    /// The user's own directory.
    let own: String
    /// The given directories.
    let given: [String]
    private let home: String
    private let fileSteps: FileStepInterceptor

    /// Creates the directories of the user who runs this process, and others that the user's apps set as
    /// `Options.stateDirectory`.
    public init(adding given: [String] = []) {
        self.init(own: Journal.defaultDirectory, home: BaseDirectory.path("HOME", orInHome: ""), given: given)
    }

    init(own: String, home: String, given: [String], fileSteps: FileStepInterceptor = .none) {
        self.own = own
        self.home = home
        self.given = given
        self.fileSteps = fileSteps
    }

    /// Returns the ids of the apps that have files of a project, in alphabetical order.
    func appIDs(_ project: String, _ instance: String) -> [String] {
        let found = (named + sandboxes).flatMap { place in
            (place.onlyAppID.map { [$0] } ?? place.folder.names()).filter { place.hasFiles($0, project, instance) }
        }
        return Set(found).sorted()
    }

    /// Returns the journals of an app: all that exist, and those that its sandbox will read. An app without a journal
    /// gets one in the user's own directory and in the given ones, because it may use any of them.
    func journals(of appID: String, _ project: String, _ instance: String) -> [Journal] {
        let (named, sandboxes) = (named, sandboxes(of: appID))
        let found = (named + sandboxes).filter { $0.hasFiles(appID, project, instance) }
        let used = found + sandboxes.filter { $0.home == appID }
        var seen: Set<String> = []
        return (used.isEmpty ? named : used).filter { seen.insert($0.folder.path).inserted }.map { place in
            Journal(in: place.folder, appID: appID, project: project, instance: instance, steps: fileSteps)
        }
    }

    /// A directory that may hold choices.
    private struct Place {
        let folder: Folder
        /// The owner of the sandbox home: the id of a Flatpak, or the name of a snap.
        var home: String?
        /// The only app whose files count: a Flatpak can write any files there, and has no say about other apps.
        var onlyAppID: String?

        func hasFiles(_ appID: String, _ project: String, _ instance: String) -> Bool {
            if let onlyAppID, onlyAppID != appID { return false }
            return JournalFiles.areThere(in: folder.folder(appID, project), instance: instance, machine: .current)
        }
    }

    /// The user's own directory and the given ones. Every app that has files there counts.
    private var named: [Place] { ([own] + given).map { Place(folder: folder(at: $0)) } }

    /// The directories in all apps' sandbox homes.
    private var sandboxes: [Place] { Self.names(in: flatpakHomes).compactMap(flatpak) + snaps }

    /// The directories in sandbox homes that may have files of an app.
    private func sandboxes(of appID: String) -> [Place] { [flatpak(appID)].compactMap(\.self) + snaps }

    private func flatpak(_ appID: String) -> Place? {
        place(inHome: "\(flatpakHomes)/\(appID)", of: appID, onlyAppID: appID)
    }

    /// The directories in the homes of snaps. The name of a snap is not the id of its app.
    private var snaps: [Place] {
        Self.names(in: snapHomes).compactMap { place(inHome: "\(snapHomes)/\($0)/current", of: $0, onlyAppID: nil) }
    }

    private func place(inHome path: String, of name: String, onlyAppID: String?) -> Place? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return Place(
            folder: Folder(inSandbox: path, [".local", "state", "sharedauth"]),
            home: name,
            onlyAppID: onlyAppID
        )
    }

    private var flatpakHomes: String { "\(homePrefix)/.var/app" }
    private var snapHomes: String { "\(homePrefix)/snap" }
    private var homePrefix: String { home == "/" ? "" : home }

    /// Returns the directory at a path. Below a sandbox's home it is the sandboxed app that writes there, even if the
    /// path was given.
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

    /// Returns the names in a directory, sorted; an empty list if it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }
}
