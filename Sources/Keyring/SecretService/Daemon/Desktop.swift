internal import DesktopSupport

/// The desktop of a session, by the variables that it sets.
package struct Desktop: Sendable, Hashable {
    /// The keyring daemon that belongs to the desktop; nil if the desktop is unknown or has none.
    package let keyring: KeyringDaemon.Kind?

    /// Determines the desktop from an environment.
    package init(environment: (String) -> String?) {
        // The first name is the most specific one, as in "ubuntu:GNOME".
        let names = ["XDG_CURRENT_DESKTOP", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION"].compactMap(environment)
            .flatMap { $0.split(separator: ":") }.map { $0.lowercased() }
        let known = names.lazy.compactMap(Self.keyring).first
        keyring = known ?? (environment("KDE_FULL_SESSION") == nil ? nil : .kWallet)
    }

    /// The desktop of this process.
    package static let current = Desktop { Environment[$0] }

    private static func keyring(of name: String) -> KeyringDaemon.Kind? {
        switch name {
        case "kde", "plasma", "plasmawayland", "plasmax11": .kWallet
        case "gnome", "gnome-classic", "gnome-flashback", "ubuntu", "unity", "x-cinnamon", "cinnamon", "mate", "xfce",
            "budgie", "pantheon", "pop", "cosmic":
            .gnomeKeyring
        default: nil
        }
    }

    /// The remedy where no keyring daemon runs.
    package var keyringRemedy: String {
        switch keyring {
        case .kWallet?:
            "Turn KWallet on, in KDE's settings: the wallet subsystem, and its use for the Secret Service interface. Install "
                + "it if it is missing."
        case .gnomeKeyring?: "Install or start the desktop's keyring, GNOME Keyring."
        default: "Install or start one: GNOME Keyring, KWallet or KeePassXC."
        }
    }
}
