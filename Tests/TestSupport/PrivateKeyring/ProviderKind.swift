internal import Glibc

/// A program that provides the Secret Service; its raw value is what people call it.
package enum ProviderKind: String, Sendable, CaseIterable {
    /// `gnome-keyring-daemon`, which is always there to test with.
    case gnomeKeyring = "GNOME Keyring"
    /// `keepassxc`, with its own database and without a display.
    case keePassXC = "KeePassXC"
    /// `kwalletd5`, with its Secret Service enabled.
    case kWallet = "KWallet"
    /// `pass_secret_service`, over the files of pass, the standard Unix password manager.
    case passSecretService = "pass-secret-service"

    /// The programs that it takes.
    private var programs: [String] {
        switch self {
        case .gnomeKeyring: ["gnome-keyring-daemon"]
        case .keePassXC: ["keepassxc", "keepassxc-cli"]
        case .kWallet: ["kwalletd5", "gdbus"]
        case .passSecretService: ["pass_secret_service", "pass", "gpg"]
        }
    }

    /// The first of its programs that is not installed; nil if all are.
    package var missingProgram: String? {
        programs.first { Self.path(of: $0) == nil }
    }

    /// Where a program is, looked for as the test process would.
    static func path(of program: String) -> String? {
        let list = unsafe getenv("PATH").map { value in unsafe String(cString: value) } ?? "/usr/bin:/bin"
        return list.split(separator: ":").map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
    }
}
