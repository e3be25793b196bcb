internal import SharedAuthHTTP

/// The issuer of accounts: Firebase or an emulator, for one project.
struct Issuer: Sendable, Hashable {
    /// The host of Firebase itself. An emulator has it as the first part of its paths.
    static let host = "identitytoolkit.googleapis.com"

    /// The project's API key.
    let apiKey: String
    /// The emulator that replaces Firebase, if there is one.
    let emulator: Emulator?

    init(apiKey: String, emulator: Emulator? = nil) {
        self.apiKey = apiKey
        self.emulator = emulator
    }

    /// Parses ``text``; nil for anything else.
    init?(_ text: String) {
        guard let mark = text.firstIndex(of: "#"),
            let apiKey = FormEncoding.unescape(text[text.index(after: mark)...]), !apiKey.isEmpty
        else { return nil }
        let site = text[..<mark]
        if site == "https://\(Self.host)/" {
            self.init(apiKey: apiKey)
        } else {
            let (start, end) = ("http://", "/\(Self.host)/")
            guard site.hasPrefix(start), site.hasSuffix(end), site.count > start.count + end.count,
                let emulator = Emulator(
                    hostAndPort: String(site.dropFirst(start.count).dropLast(end.count)),
                    allowsPlainHTTP: false
                )
            else { return nil }
            self.init(apiKey: apiKey, emulator: emulator)
        }
    }

    /// The issuer's name in records.
    var text: String {
        "\(emulator.map { "\($0.address)/\(Self.host)" } ?? "https://\(Self.host)")/#\(FormEncoding.escape(apiKey))"
    }
}
