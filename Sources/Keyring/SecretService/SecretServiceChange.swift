internal import DesktopSupport

/// A change that the Secret Service reported.
///
/// Daemons differ in the changes that they report, how often, and as which kind. GNOME Keyring reports a replaced item
/// as created, and does not report a secret that is set in place. KeePassXC repeats a report dozens of times. Treat
/// each change as a reason to read again.
public enum SecretServiceChange: Sendable, Hashable {
    /// The kind of a change of an item or collection, as the daemon reports it. More kinds may be added.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the kind, as written in Swift.
        public var description: String { name }

        /// The item or collection was created or replaced.
        public static let created = Kind("created")
        /// The item or collection was modified.
        public static let changed = Kind("changed")
        /// The item or collection was deleted.
        public static let deleted = Kind("deleted")
    }

    /// An item changed; `path` is nil if the daemon did not name it.
    case item(path: String?, Kind)
    /// A collection changed; `path` is nil if the daemon did not name it.
    case collection(path: String?, Kind)
    /// A collection was locked or unlocked; `locked` is nil if the daemon did not report the new state.
    case lockChanged(collection: String, locked: Bool?)
    /// A daemon acquired the bus name.
    case daemonAppeared(uniqueName: String)
    /// The daemon left the bus.
    case daemonVanished
    /// The connection to the bus was closed. No change follows.
    case busClosed
}

extension BusSignal {
    /// The changes that the signal reports; empty if it is malformed or reports something else.
    var changes: [SecretServiceChange] {
        switch (interface, arguments.type) {
        case ("org.freedesktop.Secret.Collection", "(o)"):
            return kind(after: "Item").map { kind in [.item(path: namedPath, kind)] } ?? []
        case ("org.freedesktop.Secret.Service", "(o)"):
            return kind(after: "Collection").map { kind in [.collection(path: namedPath, kind)] } ?? []
        case ("org.freedesktop.DBus.Properties", "(sa{sv}as)"):
            return lockChange
        case ("org.freedesktop.DBus", "(sss)"):
            return ownerChanges
        default:
            return []
        }
    }

    /// The path that the signal names. KeePassXC reports changes of an item with the path "/".
    private var namedPath: String? {
        let path = arguments[0].string
        return path == "/" ? nil : path
    }

    private func kind(after noun: String) -> SecretServiceChange.Kind? {
        switch member {
        case "\(noun)Created": .created
        case "\(noun)Changed": .changed
        case "\(noun)Deleted": .deleted
        default: nil
        }
    }

    private var lockChange: [SecretServiceChange] {
        for entry in arguments[1].children where entry[0].string == "Locked" {
            let value = entry[1][0]
            return [.lockChanged(collection: path, locked: value.type == "b" ? value.bool : nil)]
        }
        return arguments[2].strings.contains("Locked") ? [.lockChanged(collection: path, locked: nil)] : []
    }

    private var ownerChanges: [SecretServiceChange] {
        let (old, new) = (arguments[1].string, arguments[2].string)
        return (old.isEmpty ? [] : [.daemonVanished]) + (new.isEmpty ? [] : [.daemonAppeared(uniqueName: new)])
    }
}
