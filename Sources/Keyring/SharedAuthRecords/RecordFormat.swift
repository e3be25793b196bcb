/// The prefix of a stored record: the name of its format, the format's version, and a full stop.
package struct FormatPrefix: Sendable {
    package let family: String
    package let version: Int

    package init(family: String, version: Int) {
        (self.family, self.version) = (family, version)
    }

    /// The prefix as bytes.
    package var bytes: [UInt8] { Array("\(family)\(version).".utf8) }

    /// Returns the version at the beginning of these bytes and the bytes after it, if the version is newer than this
    /// one.
    package func newerVersion(in bytes: [UInt8]) -> (number: Int, body: ArraySlice<UInt8>)? {
        guard bytes.starts(with: family.utf8) else { return nil }
        let rest = bytes.dropFirst(family.utf8.count)
        let digits = rest.prefix(9).prefix { $0 != UInt8(ascii: ".") }
        guard let found = Int(String(decoding: digits, as: UTF8.self)), found > version else { return nil }
        return (found, rest.dropFirst(digits.count + 1))
    }
}

// Big-endian numbers, as in stored records.

extension [UInt8] {
    package mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

extension FixedWidthInteger {
    package init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self($1) }
    }
}
