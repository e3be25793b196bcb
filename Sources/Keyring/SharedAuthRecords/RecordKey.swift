internal import DesktopSupport

/// Identifies one record of a store.
///
/// Every part is a plain name of `A–Z a–z 0–9 . - _`. The parts are visible in the keyring, because attributes are not
/// encrypted, so they must not contain secrets.
public struct RecordKey: Sendable, Hashable {
    /// The apps that share a record.
    @frozen
    public enum Scope: Sendable, Hashable {
        /// A single app: its own slot.
        case app(String)
        /// The apps of the access group with this name.
        case group(String)
        /// Every app of the project.
        case project
    }

    /// The apps that share the record.
    public let scope: Scope
    /// The project that the record belongs to (in Firebase, the API key).
    public let project: String
    /// The `AuthApp`'s name.
    public let instance: String
    /// The kind of the record, e.g. `user`.
    public let kind: String

    /// Creates a key.
    public init(scope: Scope, project: String, instance: String, kind: String) {
        self.scope = scope
        self.project = project
        self.instance = instance
        self.kind = kind
    }
}

extension RecordKey: CustomStringConvertible {
    /// A description of the key, for error messages.
    public var description: String {
        switch scope {
        case .app(let appID): "the own \(kind) record of \(appID)"
        case .group(let group): "the \(kind) record of access group \(group)"
        case .project: "the \(kind) record of project \(project)"
        }
    }

    /// The scope as a string, for attributes and digests.
    package var scopeName: String {
        switch scope {
        case .app(let appID): "app:\(appID)"
        case .group(let group): "group:\(group)"
        case .project: "project"
        }
    }
}

extension RecordKey.Scope {
    /// Parses a ``RecordKey/scopeName``; nil if the string is not a valid scope.
    package init?(name: String) {
        if name == "project" {
            self = .project
        } else if name.hasPrefix("app:") {
            self = .app(String(name.dropFirst("app:".count)))
        } else if name.hasPrefix("group:"),
            case let group = String(name.dropFirst("group:".count)),
            Identifier.flaw(in: group, leastComponents: 2) == nil
        {
            self = .group(group)
        } else {
            return nil
        }
    }
}

extension RecordKey {
    /// All parts, joined by newlines.
    package var name: String { [scopeName, project, instance, kind].joined(separator: "\n") }

    /// Parses a ``name``; nil if the text is not a valid one.
    package init?(name: String) {
        let parts = name.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let scope = Scope(name: parts[0]) else { return nil }
        self.init(scope: scope, project: parts[1], instance: parts[2], kind: parts[3])
    }

    /// A 16-byte digest that identifies this key.
    package var digest: [UInt8] { Self.digest(ofName: name.utf8) }

    /// Returns the digest of the key of this name.
    package static func digest(ofName name: some Collection<UInt8>) -> [UInt8] {
        Array(Checksum.sha256(name).prefix(16))
    }

    /// Returns the name of a lock on the record: `purpose`, then a component of letters and digits that begins with a
    /// letter, as in bus names.
    package func lockName(_ purpose: String) -> String {
        Self.lockName(purpose, digest: hexadecimalDigest)
    }

    /// Returns the name of a lock on the record of this digest.
    package static func lockName(_ purpose: String, digest: String) -> String { "\(purpose).k\(digest)" }

    /// The digest in lower-case hexadecimal.
    package var hexadecimalDigest: String { digest.hexadecimal }

    /// Parses a digest in hexadecimal; nil if the text is not a valid one.
    package static func digest(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32, !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
