extension Sequence<UInt8> {
    /// The bytes in lower-case hexadecimal.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
    }
}
