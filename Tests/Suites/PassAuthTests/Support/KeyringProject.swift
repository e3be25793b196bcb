import Foundation
import SecretService
import TestSupport
import Testing

/// The items of one test in a keyring.
struct KeyringProject {
    let name = "pass-\(UUID().uuidString)"
    let keyring: PrivateKeyring

    init(_ keyring: PrivateKeyring? = nil) throws { self.keyring = try keyring ?? PrivateKeyring.shared.get() }

    func peer(_ app: PassPeerProcess.App) throws -> PassPeerProcess {
        try PassPeerProcess(app, project: name, in: keyring)
    }

    /// An app of the team with the newest SDK.
    func peer(_ appID: String, _ requestor: String = "R1:M1") throws -> PassPeerProcess {
        try peer(.init(appID: "com.example.\(appID)", group: "TEAM1.example.pass", requestor: requestor))
    }

    /// The items, as a stranger finds them.
    func items() throws -> [SecretItem] {
        let service = keyring.makeService(timeout: .seconds(20))
        let found = try service.items(matching: ["sharedauth-project": name])
        #expect(found.locked.isEmpty)
        return found.unlocked
    }

    /// Deletes the items, as each makes every write of the keyring slower.
    func sweep() throws {
        for item in try items() { try item.delete() }
    }
}

/// Suites that keep the whole machine busy with processes: one test of theirs runs at a time, while others run.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum OneAtATime {}
