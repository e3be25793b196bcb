extension SecretServiceProvider {
    /// Whether what the provider has acknowledged is on the disk; nil for programs of which nobody has found out.
    package var isDurable: Bool? {
        switch executableName {
        case "gnome-keyring-daemon": true
        // They write later, some seconds after the last change.
        case "keepassxc", "kwalletd5", "kwalletd6", "ksecretd": false
        default: nil
        }
    }
}
