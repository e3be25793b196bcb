public import DesktopSupport
public import FoundationEssentials
internal import SharedAuth

/// The id of this machine, from which device identities are derived; it never leaves the process.
///
/// It can only be used for derivation. Its description shows only its source.
///
/// Cloned machines and containers of one image may share an id: ``DeviceIdentity/vendor(of:on:salt:)`` takes a salt for
/// them.
public struct MachineID: Sendable {
    /// The source of a machine's id.
    @frozen
    public enum Source: Sendable, Hashable {
        /// A file with this path.
        case file(String)
        /// A stored random id, for a machine without its own.
        case standIn
    }

    /// The source.
    public let source: Source
    /// The 128 bits.
    let bytes: [UInt8]

    /// The files in which systems store it: systemd's, then the message bus's.
    public static let standardPaths = MachineIDFile.standardPaths

    /// Creates the id of a machine without its own, from a random id that the caller created once and stores.
    public init(standIn: UUID) {
        let text = standIn.uuidString.utf8.filter { $0 != UInt8(ascii: "-") }
        self.init(source: .standIn, bytes: MachineIDFile.bytes(ofHexadecimal: text) ?? [])
    }

    init(source: Source, bytes: [UInt8]) {
        self.source = source
        self.bytes = bytes
    }

    /// Returns the id in the first file that holds one, or nil.
    ///
    /// An id is 32 hexadecimal digits, not all zero. Skips a file that is missing, empty, contains `uninitialized`, as
    /// in an image that has not booted, or contains anything else. Reads files, so it may wait for a disk.
    public static func find(in paths: [String] = standardPaths) -> MachineID? {
        for path in paths {
            if let bytes = MachineIDFile.read(path) { return MachineID(source: .file(path), bytes: bytes) }
        }
        return nil
    }

    /// Returns the machine's id or, if it has none, the id that `standIn` returns.
    ///
    /// - Parameters:
    ///   - paths: The files to search, in this order.
    ///   - standIn: Returns a random id that it created once and stores. Called only if no file holds an id.
    /// - Throws: Rethrows the error of `standIn`.
    public static func find<Failure>(
        in paths: [String] = standardPaths,
        otherwise standIn: () async throws(Failure) -> UUID
    ) async throws(Failure) -> MachineID {
        if let found = find(in: paths) { return found }
        return MachineID(standIn: try await standIn())
    }

    /// A warning about the id, for the user or a log; nil if there is no problem.
    public var warning: String? {
        switch source {
        case .file:
            nil
        case .standIn:
            "This machine has no machine id, so a random one is kept in its place. If it is lost, the apps are signed out. To give "
                + "the machine an id, run systemd-machine-id-setup."
        }
    }
}

extension MachineID: Redacted {
    /// The source.
    public var description: String { "MachineID(\(source))" }
    /// The source.
    public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
