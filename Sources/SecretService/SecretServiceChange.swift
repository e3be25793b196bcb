internal import DesktopSupport

/// Something that happened in the Secret Service.
///
/// Daemons differ in what they report, how often, and under which kind: GNOME Keyring reports a replaced item as created
/// and a secret set in place not at all; KeePassXC repeats itself dozens of times. Take each as a reason to read again.
///
/// The set may grow: a `switch` over it needs an `@unknown default`.
public enum SecretServiceChange: Sendable, Hashable {
    /// A change of an item or collection, in the daemon's words; the set may grow.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the kind, as written in Swift.
        public var description: String { name }

        /// It was created or replaced.
        public static let created = Kind("created")
        /// It was modified.
        public static let changed = Kind("changed")
        /// It was deleted.
        public static let deleted = Kind("deleted")
    }

    /// An item changed; `path` is nil where the daemon did not say which.
    case item(path: String?, Kind)
    /// A collection changed; `path` is nil where the daemon did not say which.
    case collection(path: String?, Kind)
    /// A collection was locked or unlocked; `locked` is nil where the daemon did not say which of the two.
    case lockChanged(collection: String, locked: Bool?)
    /// A daemon took the bus name.
    case daemonAppeared(uniqueName: String)
    /// The daemon left the bus.
    case daemonVanished
    /// The connection to the bus is closed; nothing follows.
    case busClosed
}

extension BusSignal {
    /// The changes that the signal reports; none if it is malformed or about something else.
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

    /// KeePassXC reports changes of an item it calls "/".
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
