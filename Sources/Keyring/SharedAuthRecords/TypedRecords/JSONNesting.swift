/// Limits the nesting of the JSON in a record.
///
/// Foundation's decoder traps on some input that exceeds its own limit of 512 levels (Swift 6.3).
package enum JSONNesting {
    /// The maximum nesting of arrays and objects.
    package static let limit = 64

    /// Returns whether arrays and objects are nested at most ``limit`` deep. Does not check that the bytes are JSON.
    package static func isAllowed(in bytes: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                if depth > limit { return false }
            }
        }
        return true
    }
}
