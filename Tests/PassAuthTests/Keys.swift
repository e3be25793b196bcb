import PassAuth

/// Two keys of the tests' own, made once: making them is what takes time.
enum Keys {
    static let first = make()
    static let second = make()

    private static func make() -> TokenSigningKey {
        while true {
            if let key = try? TokenSigningKey() { return key }
        }
    }
}
