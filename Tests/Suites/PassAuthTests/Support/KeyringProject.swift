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

    /// Starts an app of the team with the newest SDK.
    func peer(_ appID: String, _ requestor: String = "R1:M1") throws -> PassPeerProcess {
        try peer(.init(appID: "com.example.\(appID)", group: "TEAM1.example.pass", requestor: requestor))
    }

    /// Returns the items as any program on the bus finds them.
    func items() throws -> [SecretItem] {
        let service = keyring.makeService(timeout: .seconds(20))
        let found = try service.items(matching: ["sharedauth-project": name])
        #expect(found.locked.isEmpty)
        return found.unlocked
    }

    /// Deletes the items, since each one slows down every write of the keyring.
    func sweep() throws {
        for item in try items() { try item.delete() }
    }
}

/// Suites whose processes keep the whole machine busy. One of their tests runs at a time, alongside other suites.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum OneAtATime {}
