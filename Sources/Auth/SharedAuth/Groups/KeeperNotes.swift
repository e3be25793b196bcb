internal import FoundationEssentials
internal import SecretService

/// The collection that has a slot's user, as the slot's record names it.
enum UserCollection: Sendable, Hashable {
    case marked(CollectionMark)
    /// The record names none, like a record of an earlier version.
    case unmarked
    /// No record was found.
    case unknown

    init(of contents: SlotContents) {
        if let mark = contents.record.origin.collection {
            self = .marked(mark)
        } else {
            self = contents.revision == nil ? .unknown : .unmarked
        }
    }

    var mark: CollectionMark? { if case .marked(let mark) = self { mark } else { nil } }
}

/// The file with the keepers of all slots of an app.
///
/// A keyring daemon of a known kind is noted by one program name, whichever program of the kind it is:
/// `gnome-keyring-daemon`, `kwalletd6` or `keepassxc`. Earlier versions read these names. They noted programs in the
/// same field by the name that the system showed, such as `gnome-keyring-d` or `kwalletd5`; these are read as their
/// kind. Other names that they noted are dropped: they need not be keyring daemons, since these versions took process
/// ids of other namespaces for their own. A daemon of no known kind is noted by its program name, in a separate field.
struct KeeperNotes: Sendable, Equatable {
    /// The keepers by group name; the app's own slot has the empty name.
    private var keepers: [String: [KeyringDaemon.Kind]] = [:]
    /// The collection that last had the user, by group name.
    private var collections: [String: CollectionMark] = [:]

    init() {}

    /// Decodes notes; damaged or newer notes count as empty.
    init(decoding bytes: [UInt8]) {
        guard let file = try? UntrustedJSON.decode(File.self, from: bytes), file.version == 1 else { return }
        for (group, programs) in file.providers {
            for program in programs {
                let keeper = KeyringDaemon.Kind(program: program)
                if keeper.isKnown { note(keeper, of: group) }
            }
        }
        for (group, programs) in file.others ?? [:] {
            for program in programs { note(.other(program), of: group) }
        }
        collections = (file.collections ?? [:]).compactMapValues(CollectionMark.init)
    }

    /// The keepers of a group, or with an empty name those of the app's own slot.
    subscript(group: String) -> [KeyringDaemon.Kind] {
        get { keepers[group] ?? [] }
        set { keepers[group] = newValue.isEmpty ? nil : newValue }
    }

    /// The collection that last had the user of a group, or with an empty name that of the app's own slot.
    func collection(of group: String) -> CollectionMark? { collections[group] }

    /// Notes the collection that has the user of a group. One that is unmarked takes the place of the noted one, which is
    /// gone then.
    mutating func note(_ collection: UserCollection, of group: String) {
        if collection != .unknown { collections[group] = collection.mark }
    }

    /// Notes that a group has no user.
    mutating func clear(_ group: String) { (keepers[group], collections[group]) = (nil, nil) }

    /// Adds a keeper of a group, unless it is already noted.
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
        if !collections.isEmpty { file.collections = collections.mapValues(\.text) }
        return try? StableJSON.encode(file, escapingSlashes: true)
    }

    /// The stored form: program names by group name.
    private struct File: Codable {
        var version = 1
        var providers: [String: [String]] = [:]
        /// Nil if empty; earlier versions ignore it.
        var others: [String: [String]]?
        /// The marks of collections by group name. Nil if empty; earlier versions ignore and drop it.
        var collections: [String: String]?
    }
}
