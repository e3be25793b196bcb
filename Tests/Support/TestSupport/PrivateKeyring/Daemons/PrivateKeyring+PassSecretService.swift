extension PrivateKeyring {
    /// Makes a key without a passphrase, and a password store for it.
    func preparePassSecretService() throws {
        let gnupg = "\(home)/.gnupg"
        try Files.makeDirectory(gnupg)
        let identity = "keyring@example.com"
        let settings = [
            "--batch", "--passphrase", "", "--quick-gen-key", identity, "future-default", "default", "never",
        ]
        for (program, arguments) in [("gpg", settings), ("pass", ["init", identity])] {
            let made = try run(program, arguments)
            guard made.status == 0 else { throw PrivateKeyringError("\(program): \(made.standardError)") }
        }
    }

    func startPassSecretService(unlocked: Bool) throws {
        guard unlocked else { throw PrivateKeyringError("pass-secret-service cannot be locked") }
        guard let program = Programs.path(of: "pass_secret_service") else {
            throw PrivateKeyringError("pass_secret_service is not installed")
        }
        try spawnDaemon([program])
        try awaitDefaultCollection(locked: false)
    }
}
