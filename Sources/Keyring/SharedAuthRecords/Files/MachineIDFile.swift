internal import DesktopSupport

/// A file that holds a machine's id.
package enum MachineIDFile {
    /// The files in which systems store it: systemd's, then the message bus's.
    package static let standardPaths = ["/etc/machine-id", "/var/lib/dbus/machine-id"]

    /// Returns the 128 bits; nil if the file holds none.
    ///
    /// An id is 32 hexadecimal digits, not all zero. A file of an image that has not booted holds something else.
    package static func read(_ path: String) -> [UInt8]? {
        let contents = try? SmallFile.read(path, path: path, atMost: 64, followingLinks: true, demandsPrivacy: false)
        guard case .bytes(let bytes) = contents else { return nil }
        let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = line.first, line.dropFirst().allSatisfy(\.isEmpty) else { return nil }
        return self.bytes(ofHexadecimal: first)
    }

    /// Returns the bytes of 32 hexadecimal digits; nil for anything else, and if all are zero.
    package static func bytes(ofHexadecimal digits: some Collection<UInt8>) -> [UInt8]? {
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == 32, values.count == 32, values.contains(where: { $0 != 0 }) else { return nil }
        return stride(from: 0, to: 32, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

/// The name of a machine in files that several machines may share: 16 hexadecimal digits that do not reveal the
/// machine's id.
package struct MachineName: Sendable, Hashable {
    package let text: String

    /// Derives the name from a machine's id.
    package init(of id: [UInt8]) {
        text = Checksum.sha256(Array("SharedAuth journal".utf8) + id).prefix(8).hexadecimal
    }

    /// Reads a name from a file; nil if the bytes are something else.
    package init?(reading bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count == 16, text.allSatisfy(\.isHexDigit) else { return nil }
        self.text = text
    }

    /// The name of this machine; nil if it has no id.
    package static let current: MachineName? = {
        for path in MachineIDFile.standardPaths {
            if let id = MachineIDFile.read(path) { return MachineName(of: id) }
        }
        return nil
    }()
}
