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
