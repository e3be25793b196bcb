import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Slots and group choices, written and read by a bystander without a running app.
extension AppFixture {
    private static let stores = Mutex<[String: SecretServiceRecordStore]>([:])

    /// The bystander's store; one for each keyring, since connections take time.
    private var bystander: any RecordStore { files?.store() ?? keyringBystander }

    private var keyringBystander: SecretServiceRecordStore {
        let address = keyring.busAddress
        return Self.stores.withLock { stores in
            if let store = stores[address] { return store }
            let service = SecretService(.init(busAddress: .address(address), timeout: .seconds(20)))
            // It reads and writes only while no app is active, so it does not take part in their locking.
            let store = SecretServiceRecordStore(service, locking: .file(directory: "\(keyring.directory)/bystander"))
            stores[address] = store
            return store
        }
    }

    private func slots(_ appID: String) -> UserSlots {
        UserSlots(store: bystander, appID: appID, project: project, instance: AuthApp.defaultName)
    }

    func journal(_ appID: String) -> Journal {
        Journal(in: Folder(state), appID: appID, project: project, instance: AuthApp.defaultName)
    }

    /// Returns an account such as the peers' identity provider creates.
    func account(_ uid: String, _ token: String = "1", anonymous: Bool = false) -> Account {
        let value = "\(uid)/\(token)"
        return Account(
            profile: UserProfile(uid: uid, isAnonymous: anonymous),
            tokens: UserTokens(
                idToken: value,
                refreshToken: value,
                expirationDate: Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())
            ),
            project: project,
            issuer: Account.ownIssuer
        )
    }

    /// Makes an account the current one of a slot; other accounts stay.
    func put(_ account: Account, in group: String?, appID: String) throws {
        let slot: Slot = if let group { .group(group) } else { .own }
        _ = try slots(appID).update(slot, by: .after(.seconds(20))) { contents in
            .store(contents.record.signingIn(account, keepingOthers: true))
        }
    }

    /// Returns the content of a slot.
    func record(_ group: String?, appID: String) throws -> UserRecord {
        let slot: Slot = if let group { .group(group) } else { .own }
        return try slots(appID).read(slot, by: .after(.seconds(20))).record
    }

    /// Stores a group choice, as an earlier run of the app would have.
    func choose(_ group: String?, appID: String) throws {
        try journal(appID).change(by: .after(.seconds(20))) { $0 = GroupChoice(slot: group.map(Slot.group) ?? .own) }
    }

    /// Deletes the test's items, since each item makes the keyring's writes slower.
    func sweep() throws {
        if let files { return try FileManager.default.removeItem(atPath: files.directory) }
        let service = keyringBystander.service
        for item in try service.items(matching: ["sharedauth-project": project]).unlocked { try item.delete() }
    }
}

extension AppFixture {
    /// Returns a plain record that the peers wrote.
    func plainRecord(_ kind: String) throws -> Record? {
        let key = RecordKey(scope: .project, project: project, instance: AuthApp.defaultName, kind: kind)
        guard case .whole(let record) = try bystander.read(key, by: .after(.seconds(20))) else { return nil }
        return record
    }

    /// Returns the revision of a slot's record.
    func revision(_ group: String?, appID: String = "") throws -> Revision? {
        try slots(appID).read(group.map(Slot.group) ?? .own, by: .after(.seconds(20))).revision
    }
}

extension AppFixture {
    /// Returns another app of the same project, with its own group choice.
    ///
    /// Without a group it has the app id of the app under test, so they share the app's own slot.
    func peer(_ group: String?, observesOtherProcesses: Bool = false) throws -> TestApp {
        var other = self
        other.state += "-peer"
        let peer = try TestApp(
            other,
            appID: group == nil ? "com.example.Mail" : "com.example.Peer",
            observesOtherProcesses: observesOtherProcesses
        )
        try peer.auth.useUserAccessGroup(group)
        _ = peer.announcements()
        return peer
    }

    /// Stores a user as another process would.
    func put(_ uid: String, _ token: String = "1", into group: String?, tenantID: String? = nil) async throws {
        let peer = try peer(group)
        if let tenantID { peer.auth.tenantID = tenantID }
        try await peer.signIn(uid, token, tenantID: tenantID)
    }
}

/// The two kinds of lock, which pass the same tests.
enum LockKind: String, CaseIterable, Sendable {
    case busName = "bus-name"
    case file

    /// Returns the argument for a peer process.
    func argument(in world: AppFixture) -> String {
        switch self {
        case .busName: rawValue
        case .file: "file:\(world.keyring.directory)/locks"
        }
    }
}
