internal import Glibc

/// Whole Debian systems in directories, whose keyring daemons and message bus are tested in place of this machine's.
///
/// `SHAREDAUTH_TEST_ROOTS` names them, separated by colons; without it, no roots are used. `Tests/Scripts/keyrings` makes them, and lets them
/// have this machine's processes, devices and temporary files, so that a daemon finds the private home and bus where they
/// are. `chroot` becomes the program that it starts: the process id and what the system says of the process stay right.
package enum DebianRoots {
    private static let roots: [String] = {
        let list = unsafe getenv("SHAREDAUTH_TEST_ROOTS").map { unsafe String(cString: $0) } ?? ""
        return list.split(separator: ":").map(String.init)
    }()

    /// The programs that are taken from a root alone, where there are roots.
    private static let programs: Set = [
        "dbus-broker-launch", "dbus-daemon", "gcr-prompter", "gnome-keyring-daemon", "keepassxc", "keepassxc-cli",
        "ksecretd", "kwalletd5", "kwalletd6", "pass_secret_service",
    ]

    /// Whether a program must not come from this machine.
    static func mustHave(_ program: String) -> Bool {
        !roots.isEmpty && programs.contains(program.split(separator: "/").last.map(String.init) ?? "")
    }

    /// The first root that has a program; nil if none has.
    static func root(of program: String) -> String? {
        roots.first { Programs.isExecutable($0 + path(program)) }
    }

    /// The path of a program in Debian.
    static func path(_ program: String) -> String { program.contains("/") ? program : "/usr/bin/\(program)" }

    /// The command that starts a program, in its root if it comes out of one.
    package static func command(_ arguments: [String]) -> [String] {
        guard mustHave(arguments[0]), let root = root(of: arguments[0]) else { return arguments }
        return ["/usr/sbin/chroot", root] + arguments
    }

    /// The directory that the path of a file which a program uses begins with, as seen from here; empty for this machine's.
    static func prefix(of program: String) -> String { mustHave(program) ? root(of: program) ?? "" : "" }
}
