internal import Glibc

/// The programs that tests start and that are not built with them.
package enum Programs {
    /// The Debian package of each program.
    private static let packages = [
        "bwrap": "bubblewrap",
        "curl": "curl",
        "dbus-broker-launch": "dbus-broker",
        "dbus-daemon": "dbus",
        "dbus-monitor": "dbus",
        "fish": "fish",
        "gdb": "gdb",
        "gdbus": "libglib2.0-bin",
        "gnome-keyring-daemon": "gnome-keyring",
        "openssl": "openssl",
        "pgbouncer": "pgbouncer",
        "postgres": "postgresql",
        "python3": "python3",
        "secret-tool": "libsecret-tools",
        "setcap": "libcap2-bin",
        "tinyproxy": "tinyproxy-bin",
        "xdg-dbus-proxy": "xdg-dbus-proxy",
        "zsh": "zsh",
    ]

    /// Returns the path of a program, searched as the test process does or in the roots that tests take it from, or nil
    /// if it is not installed.
    package static func path(of program: String) -> String? {
        if DebianRoots.mustHave(program) {
            return DebianRoots.root(of: program).map { "\($0)\(DebianRoots.path(program))" }
        }
        if program.contains("/") { return isExecutable(program) ? program : nil }
        let list = unsafe getenv("PATH").map { value in unsafe String(cString: value) } ?? "/usr/bin:/bin"
        return list.split(separator: ":").map { "\($0)/\(program)" }.first(where: isExecutable)
    }

    /// Throws if a program is not installed. The first time, prints all missing programs and their packages to standard
    /// error.
    package static func require(_ program: String) throws {
        guard path(of: program) == nil else { return }
        _ = advice
        throw PrivateKeyringError("\(program) is not installed\(remedy(for: program))")
    }

    /// Prints at the first use, and only then.
    private static let advice: Void = {
        let missing = packages.keys.filter { path(of: $0) == nil }.sorted()
        guard !missing.isEmpty else { return }
        let wanted = Set(missing.compactMap { packages[$0] }).sorted().joined(separator: " ")
        let text = """
            Tests need programs that are not installed: \(missing.joined(separator: ", ")).
            On Debian and Ubuntu: sudo apt-get install \(wanted)
            Tests/run installs them by itself. SharedAuthTests need none of them.

            """
        try? Files.write(Array(text.utf8), to: STDERR_FILENO)
    }()

    private static func remedy(for program: String) -> String {
        packages[program].map { "; on Debian and Ubuntu: sudo apt-get install \($0)" } ?? ""
    }

    static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}
