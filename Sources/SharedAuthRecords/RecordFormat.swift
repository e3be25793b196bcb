/// What a stored record begins with: the name of its format, the format's version, and a full stop.
struct FormatPrefix: Sendable {
    let family: String
    let version: Int

    /// The bytes.
    var bytes: [UInt8] { Array("\(family)\(version).".utf8) }

    /// The version that these bytes begin with, if it is higher than this one, and what follows.
    func newerVersion(in bytes: [UInt8]) -> (number: Int, body: ArraySlice<UInt8>)? {
        guard bytes.starts(with: family.utf8) else { return nil }
        let rest = bytes.dropFirst(family.utf8.count)
        let digits = rest.prefix(9).prefix { $0 != UInt8(ascii: ".") }
        guard let found = Int(String(decoding: digits, as: UTF8.self)), found > version else { return nil }
        return (found, rest.dropFirst(digits.count + 1))
    }
}

// Numbers as stored records have them: the most significant byte first.

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

extension FixedWidthInteger {
    init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self($1) }
    }
}
