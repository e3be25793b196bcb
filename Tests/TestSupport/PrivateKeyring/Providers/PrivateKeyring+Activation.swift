internal import Glibc
internal import SecretService

/// GNOME Keyring as the bus starts it when somebody calls and nobody is there: locked, as no login gave it the password.
extension PrivateKeyring {
    private var serviceFile: String { "\(directory)/services/org.freedesktop.secrets.service" }

    /// Kills the provider, which the bus starts again, locked, at the next call of anybody.
    package func killProviderAndActivate() throws {
        try killProvider()
        try Files.write(
            """
            [D-BUS Service]
            Name=org.freedesktop.secrets
            Exec=/usr/bin/env gnome-keyring-daemon --foreground --components=secrets
            """,
            to: serviceFile
        )
    }

    /// Ends the provider that the bus has started, if it has, and starts it unlocked; the bus starts none any more.
    package func unlockActivated() throws {
        _ = unsafe unlink(serviceFile)
        if let activated = try presentProvider()?.processID {
            kill(activated, SIGKILL)
            try waitFor("the activated provider to be gone") { try presentProvider()?.processID != activated }
        }
        try startProvider(unlocked: true)
    }
}
