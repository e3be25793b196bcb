extension SecretServiceProvider {
    /// Whether what the provider has acknowledged is on the disk; nil for programs of which nobody knows.
    ///
    /// `Tests/ProviderTests` kills each provider after a write to see.
    package var isDurable: Bool? {
        switch executableName {
        // It has synchronised its file before it answers.
        case "gnome-keyring-daemon": true
        // They save later, KWallet only once nobody has written for five seconds.
        case "keepassxc", "kwalletd5", "kwalletd6", "ksecretd": false
        default: nil
        }
    }

    /// Whether a search leaves the person alone also while all is locked, as KeePassXC does not; false for programs of
    /// which nobody knows.
    package var searchesSilently: Bool { executableName == "gnome-keyring-daemon" }

    /// Whether a new item has the attributes that it was made with; false for programs of which nobody knows.
    package var keepsAttributes: Bool { executableName == "gnome-keyring-daemon" }
}
