/// What other programs do to a keyring, with plain calls of the Secret Service.
extension PrivateKeyring {
    /// Deletes a collection, which has this name in its path.
    package func deleteCollection(_ name: String) throws {
        try call(Self.collection(name), "Collection.Delete")
    }

    /// Makes a collection of this name the default one.
    package func makeDefault(_ name: String) throws {
        try call("/org/freedesktop/secrets", "Service.SetAlias", "default", Self.collection(name))
    }

    /// The object path of a collection of this name.
    package static func collection(_ name: String) -> String { "/org/freedesktop/secrets/collection/\(name)" }

    private func call(_ path: String, _ method: String, _ arguments: String...) throws {
        let target = ["call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", path]
        let called = try run("gdbus", target + ["--method", "org.freedesktop.Secret.\(method)"] + arguments)
        if called.status != 0 { throw PrivateKeyringError("\(method): \(called.standardError)") }
    }
}
