internal import Glibc

/// Whole Debian systems in directories, whose keyring daemons and message bus are tested in place of this machine's.
///
/// `SHAREDAUTH_TEST_ROOTS` names them, separated by colons; without it there are none. `Tests/Scripts/keyrings` makes
/// them, and mounts this machine's processes, devices and temporary files in them, so that a daemon finds the private
/// home and bus. `chroot` becomes the program that it starts, so the process id and the system's information about the
/// process stay right.
package enum DebianRoots {
    private static let roots: [String] = {
        let list = unsafe getenv("SHAREDAUTH_TEST_ROOTS").map { unsafe String(cString: $0) } ?? ""
        return list.split(separator: ":").map(String.init)
    }()

    /// The programs that are taken only from a root, if there are roots.
    private static let programs: Set = [
        "dbus-broker-launch", "dbus-daemon", "gcr-prompter", "gnome-keyring-daemon", "keepassxc", "keepassxc-cli",
        "ksecretd", "kwalletd5", "kwalletd6", "pass_secret_service",
    ]

    /// Returns whether a program must not be taken from this machine.
    static func mustHave(_ program: String) -> Bool {
        !roots.isEmpty && programs.contains(program.split(separator: "/").last.map(String.init) ?? "")
    }

    /// Returns the first root that has a program, or nil if none has it.
    static func root(of program: String) -> String? {
        roots.first { Programs.isExecutable($0 + path(program)) }
    }

    /// Returns the path of a program in Debian.
    static func path(_ program: String) -> String { program.contains("/") ? program : "/usr/bin/\(program)" }

    /// Returns the command that starts a program, in its root if it is taken from one.
    package static func command(_ arguments: [String]) -> [String] {
        guard mustHave(arguments[0]), let root = root(of: arguments[0]) else { return arguments }
        return ["/usr/sbin/chroot", root] + arguments
    }

    /// Returns the directory that prefixes the paths of the files that a program uses, or an empty text for this
    /// machine's.
    static func prefix(of program: String) -> String { mustHave(program) ? root(of: program) ?? "" : "" }
}
