internal import FoundationEssentials
internal import SecretService

/// The file with the keepers of all slots of an app.
///
/// A keyring daemon of a known kind is noted by one program's name, whichever program of the kind it is:
/// `gnome-keyring-daemon`, `kwalletd6`, `keepassxc`. Earlier versions read these, and have noted programs in the same
/// place by whatever name the system showed, such as `gnome-keyring-d` or `kwalletd5`; those are read as their kind.
/// What else they have noted there need not be a keyring daemon at all, since they took process ids of other namespaces
/// for their own, and is dropped. A daemon of no known kind is noted by its program's name, in a place of its own.
struct KeeperNotes: Sendable {
    /// The keepers by the name of the group; the own slot has the empty name.
    private var keepers: [String: [KeyringDaemon.Kind]] = [:]

    init() {}

    /// Reads notes; those that are damaged or newer count as none.
    init(decoding bytes: [UInt8]) {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)), file.version == 1 else { return }
        for (group, programs) in file.providers {
            for program in programs {
                let keeper = KeyringDaemon.Kind(program: program)
                if keeper.isKnown { note(keeper, of: group) }
            }
        }
        for (group, programs) in file.others ?? [:] {
            for program in programs { note(.other(program), of: group) }
        }
    }

    /// The keepers of a group, or with an empty name of the own slot.
    subscript(group: String) -> [KeyringDaemon.Kind] {
        get { keepers[group] ?? [] }
        set { keepers[group] = newValue.isEmpty ? nil : newValue }
    }

    /// Adds a keeper of a group, unless it is noted.
    mutating func note(_ keeper: KeyringDaemon.Kind, of group: String) {
        if !self[group].contains(keeper) { self[group].append(keeper) }
    }

    func encoded() -> [UInt8]? {
        var file = File()
        for (group, keepers) in keepers {
            let known = keepers.filter(\.isKnown).compactMap(\.program)
            let others = keepers.filter { !$0.isKnown }.compactMap(\.program)
            if !known.isEmpty { file.providers[group] = known }
            if !others.isEmpty { file.others = (file.others ?? [:]).merging([group: others]) { $1 } }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(file)).map(Array.init)
    }

    /// The form on the disk: programs by the name of the group.
    private struct File: Codable {
        var version = 1
        var providers: [String: [String]] = [:]
        /// Absent where there are none, and ignored by earlier versions.
        var others: [String: [String]]?
    }
}
