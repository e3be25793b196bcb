public import FoundationEssentials

/// The id of this machine, from which device identities are derived; it never leaves the process.
///
/// It can only be put into a derivation. Printed, it shows where it comes from alone.
///
/// Cloned machines and containers of one image may share an id: ``DeviceIdentity/vendor(of:on:salt:)`` takes a salt for
/// them.
public struct MachineID: Sendable {
    /// Where it comes from.
    public let source: Source
    /// The 128 bits.
    let bytes: [UInt8]

    /// Where systems keep it: systemd's place, then the message bus's.
    public static let standardPaths = ["/etc/machine-id", "/var/lib/dbus/machine-id"]

    /// Reads the first file that holds an id; nil when none does.
    ///
    /// An id is 32 hexadecimal digits, not all zero. A file that is missing, empty, says `uninitialized`, as one does in an
    /// image that has not booted, or holds anything else is passed over. Reads files, and so may wait for a disk.
    public static func find(in paths: [String] = standardPaths) -> MachineID? {
        for path in paths {
            if let bytes = MachineIDFile.read(path) { return MachineID(source: .file(path), bytes: bytes) }
        }
        return nil
    }

    /// Takes a random id that the caller made once and keeps, for a machine that has none.
    public init(standIn: UUID) {
        let text = standIn.uuidString.utf8.filter { $0 != UInt8(ascii: "-") }
        self.init(source: .standIn, bytes: MachineIDFile.bytes(ofHexadecimal: text) ?? [])
    }

    /// Reads the machine's id or, when it has none, takes the one that `standIn` keeps.
    ///
    /// - Parameters:
    ///   - paths: The files to look into, in this order.
    ///   - standIn: Answers with a random id that it made once and keeps. It is asked only when no file holds an id.
    /// - Throws: What `standIn` throws.
    public static func find<Failure>(
        in paths: [String] = standardPaths,
        otherwise standIn: () async throws(Failure) -> UUID
    ) async throws(Failure) -> MachineID {
        if let found = find(in: paths) { return found }
        return MachineID(standIn: try await standIn())
    }

    init(source: Source, bytes: [UInt8]) {
        self.source = source
        self.bytes = bytes
    }
}

extension MachineID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where it comes from.
    public var description: String { "MachineID(\(source))" }
    /// Where it comes from.
    public var debugDescription: String { description }
    /// Where it comes from.
    public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
