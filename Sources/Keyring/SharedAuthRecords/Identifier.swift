/// Validates names that become part of item attributes, file names and bus names.
package enum Identifier {
    /// Describes what is wrong with `name`; nil if it is well-formed.
    package static func flaw(in name: String, leastComponents: Int) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > 255 { return "is longer than 255 characters" }
        if !name.utf8.allSatisfy(isAllowed) {
            return "has characters other than letters, digits, '.', '-' and '_'"
        }
        let components = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if components.contains(where: \.isEmpty) { return "has an empty component" }
        if components.count < leastComponents { return "has fewer than \(leastComponents) dot-separated components" }
        return nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}
