import Testing

@testable import SecretService

struct DesktopTests {
    @Test(
        "The keyring of the desktop is proposed",
        arguments: [
            (["XDG_CURRENT_DESKTOP": "KDE"], "KWallet"), (["XDG_CURRENT_DESKTOP": "ubuntu:GNOME"], "GNOME Keyring"),
            (["XDG_CURRENT_DESKTOP": "X-Cinnamon"], "GNOME Keyring"), (["XDG_SESSION_DESKTOP": "plasma"], "KWallet"),
            (["DESKTOP_SESSION": "xfce"], "GNOME Keyring"), (["KDE_FULL_SESSION": "true"], "KWallet"),
            (["XDG_CURRENT_DESKTOP": "Unknown:XFCE", "KDE_FULL_SESSION": "true"], "GNOME Keyring"),
            (["XDG_CURRENT_DESKTOP": "sway"], nil), ([:], nil),
        ] as [([String: String], String?)]
    )
    func keyring(_ environment: [String: String], _ name: String?) {
        let desktop = Desktop { environment[$0] }
        #expect(desktop.keyring?.name == name)
        for known in ["GNOME Keyring", "KWallet", "KeePassXC"] {
            #expect(desktop.keyringRemedy.contains(known) == (name.map { $0 == known } ?? true))
        }
    }
}
