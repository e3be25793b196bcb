internal import Crypto

/// Names one record of a store.
///
/// Every part is a plain name of `A–Z a–z 0–9 . - _`; parts are public in the keyring (attributes are not encrypted),
/// so nothing secret belongs in them.
public struct RecordKey: Sendable, Hashable {
    /// Who shares a record.
    @frozen
    public enum Scope: Sendable, Hashable {
        /// One app alone: its own slot.
        case app(String)
        /// The apps of an access group of this name.
        case group(String)
        /// Every app of the project.
        case project
    }

    /// Who shares the record.
    public let scope: Scope
    /// The project (Firebase: the API key) the record belongs to.
    public let project: String
    /// The `AuthApp`'s name.
    public let instance: String
    /// What the record is, e.g. `user`.
    public let kind: String

    /// Names a record.
    public init(scope: Scope, project: String, instance: String, kind: String) {
        self.scope = scope
        self.project = project
        self.instance = instance
        self.kind = kind
    }
}

extension RecordKey: CustomStringConvertible {
    /// The key in words, for error messages.
    public var description: String {
        switch scope {
        case .app(let appID): "the own \(kind) record of \(appID)"
        case .group(let group): "the \(kind) record of access group \(group)"
        case .project: "the \(kind) record of project \(project)"
        }
    }

    /// The scope as one plain string, for attributes and digests.
    package var scopeName: String {
        switch scope {
        case .app(let appID): "app:\(appID)"
        case .group(let group): "group:\(group)"
        case .project: "project"
        }
    }
}

extension RecordKey.Scope {
    /// The scope of this plain string, as ``RecordKey/scopeName`` makes it; nil if it is none.
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
    /// All parts in one text.
    var name: String { [scopeName, project, instance, kind].joined(separator: "\n") }

    /// The key of this text, as ``name`` makes it; nil if it is none.
    init?(name: String) {
        let parts = name.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let scope = Scope(name: parts[0]) else { return nil }
        self.init(scope: scope, project: parts[1], instance: parts[2], kind: parts[3])
    }

    /// Sixteen bytes that tell this key from every other.
    var digest: [UInt8] { Self.digest(ofName: name.utf8) }

    /// The digest of the key of this name.
    static func digest(ofName name: some Sequence<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: Array(name)).prefix(16))
    }

    /// A name for locks on the record: letters and digits only, and a letter first.
    func lockName(_ purpose: String) -> String {
        Self.lockName(purpose, digest: hexadecimalDigest)
    }

    /// A name for locks on the record of this digest.
    static func lockName(_ purpose: String, digest: String) -> String { "\(purpose).k\(digest)" }

    /// The digest in lower-case hexadecimal.
    var hexadecimalDigest: String {
        digest.reduce(into: "") { name, byte in
            name += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
    }

    /// The digest of this text in hexadecimal; nil if it is none.
    static func digest(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32, !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
