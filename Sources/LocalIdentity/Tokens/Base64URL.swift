internal import FoundationEssentials

/// Base64 in the alphabet for URLs, without padding (RFC 4648 §5), which JSON Web Keys and tokens are written in.
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(Array(bytes)).base64EncodedString()
        return String(text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    static func decode(_ text: String) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}
