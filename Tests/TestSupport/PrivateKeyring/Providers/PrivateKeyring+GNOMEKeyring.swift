extension PrivateKeyring {
    func startGNOMEKeyring(unlocked: Bool) throws {
        try spawnProvider(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : []),
            input: Self.password
        )
        try awaitProvider()
    }
}
