import Foundation
import TestSupport
import Testing

extension OnEveryDaemon {
    /// Tests the names that a daemon owns on the bus.
    struct NameTests {
        @Test("Each kind of daemon owns its own bus name besides the service's", arguments: DaemonKind.allCases)
        func ownName(_ kind: DaemonKind) throws {
            let keyring = try Daemons.shared(kind)
            let owner = try #require(try keyring.owner(of: "org.freedesktop.secrets"))
            let names = try keyring.namesOnBus().filter { try keyring.owner(of: $0) == owner }
            let own = Set(names).subtracting(["org.freedesktop.secrets"])
            #expect(own.isDisjoint(with: kind.telling) == kind.telling.isEmpty, "\(own)")
            let seen = own.sorted().map { "`\($0)`" }.joined(separator: ", ")
            Observations.note(
                kind,
                "Owns on the bus, besides `org.freedesktop.secrets`",
                seen.isEmpty ? "nothing" : seen
            )
        }
    }
}

extension DaemonKind {
    /// The names of which a daemon of this kind owns at least one; empty for pass-secret-service.
    fileprivate var telling: Set<String> {
        switch self {
        case .gnomeKeyring: ["org.gnome.keyring"]
        case .keePassXC: ["org.keepassxc.KeePassXC.MainWindow"]
        case .kWallet: ["org.kde.kwalletd5", "org.kde.kwalletd6", "org.kde.ksecretd"]
        case .passSecretService: []
        }
    }
}

extension PrivateKeyring {
    /// Returns the well-known names on the bus.
    fileprivate func namesOnBus() throws -> [String] {
        try askBus("ListNames").filter { !$0.hasPrefix(":") }
    }

    /// Returns the connection that owns a name, or nil if there is no owner.
    fileprivate func owner(of name: String) throws -> String? {
        try askBus("GetNameOwner", name).first
    }

    /// Calls the bus and returns the strings in its reply; empty if the call fails.
    private func askBus(_ method: String, _ arguments: String...) throws -> [String] {
        let bus = ["call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus"]
        let asked = try run("gdbus", bus + ["-m", "org.freedesktop.DBus.\(method)"] + arguments)
        guard asked.status == 0 else { return [] }
        // Each string is in quotes.
        return asked.standardOutput.split(separator: "'").enumerated().filter { !$0.offset.isMultiple(of: 2) }
            .map { String($0.element) }
    }
}
