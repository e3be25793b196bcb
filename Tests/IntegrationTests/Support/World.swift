import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Slots and choices of group, put there and looked at by a bystander, without any app running.
extension TestApp.World {
    private static let stores = Mutex<[String: SecretServiceRecordStore]>([:])

    /// One store for each keyring, as connections cost time.
    private var bystander: any RecordStore { files?.store() ?? keyringBystander }

    private var keyringBystander: SecretServiceRecordStore {
        let address = keyring.busAddress
        return Self.stores.withLock { stores in
            if let store = stores[address] { return store }
            let service = SecretService(.init(busAddress: .address(address), timeout: .seconds(20)))
            // Its reads and writes are for moments when no app is at work, so it takes no part in their turns.
            let store = SecretServiceRecordStore(service, locking: .file(directory: "\(keyring.directory)/bystander"))
            stores[address] = store
            return store
        }
    }

    private func slots(_ appID: String) -> UserSlots {
        UserSlots(store: bystander, appID: appID, project: project, instance: AuthApp.defaultName)
    }

    func journal(_ appID: String) -> Journal {
        Journal(directory: state, appID: appID, project: project, instance: AuthApp.defaultName)
    }

    /// An account such as the peers' identity provider makes.
    func account(_ uid: String, _ token: String = "1", anonymous: Bool = false) -> Account {
        let value = "\(uid)/\(token)"
        return Account(
            profile: UserProfile(uid: uid, isAnonymous: anonymous),
            tokens: UserTokens(
                idToken: value,
                refreshToken: value,
                expirationDate: Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())
            ),
            project: project
        )
    }

    /// Makes an account the current one of a slot; others already there stay.
    func put(_ account: Account, in group: String?, appID: String) throws {
        let slot: Slot = if let group { .group(group) } else { .own }
        _ = try slots(appID).update(slot, by: .after(.seconds(20))) { contents in
            .store(contents.record.signingIn(account, keepingOthers: true))
        }
    }

    /// What a slot holds.
    func record(_ group: String?, appID: String) throws -> UserRecord {
        let slot: Slot = if let group { .group(group) } else { .own }
        return try slots(appID).read(slot, by: .after(.seconds(20))).record
    }

    /// Stores a choice of group, as an earlier run of the app would have.
    func choose(_ group: String?, appID: String) throws {
        try journal(appID).change(by: .after(.seconds(20))) { $0 = GroupChoice(slot: group.map(Slot.group) ?? .own) }
    }

    /// Deletes what the test stored, as every item makes each write of the keyring slower.
    func sweep() throws {
        if let files { return try FileManager.default.removeItem(atPath: files.directory) }
        let service = keyringBystander.service
        for item in try service.items(matching: ["sharedauth-project": project]).unlocked { try item.delete() }
    }
}

extension TestApp.World {
    /// A plain record of the peers' own.
    func plainRecord(_ kind: String) throws -> Record? {
        let key = RecordKey(scope: .project, project: project, instance: AuthApp.defaultName, kind: kind)
        guard case .whole(let record) = try bystander.read(key, by: .after(.seconds(20))) else { return nil }
        return record
    }

    /// Which write a slot is at.
    func revision(_ group: String?, appID: String = "") throws -> Revision? {
        try slots(appID).read(group.map(Slot.group) ?? .own, by: .after(.seconds(20))).revision
    }
}

extension TestApp.World {
    /// Everything that an operation might change outside its process: the items of the test's project, and the files
    /// with the apps' choices of group.
    struct Contents: Equatable {
        let items: Set<StoredItem>
        let choices: [String: String]
    }

    /// What is stored now, read by plain calls of the Secret Service.
    func contents() throws -> Contents {
        Contents(items: Set(try items()), choices: try choices())
    }

    /// The items of the test's project.
    func items() throws -> [StoredItem] {
        let found = try service.items(matching: ["sharedauth-project": project])
        #expect(found.locked.isEmpty)
        return try found.unlocked.map { item in
            StoredItem(label: try item.label(), attributes: try item.attributes(), secret: try item.secret().bytes)
        }
    }

    /// The items in the place of one slot's record.
    func items(in slot: RecordKey) throws -> [StoredItem] {
        try items().filter {
            $0.attributes["sharedauth-scope"] == slot.scopeName && $0.attributes["sharedauth-kind"] == "user"
        }
    }

    /// Puts an item where a slot's record belongs, whatever is there already.
    func plant(_ secret: [UInt8], in slot: RecordKey, adding attributes: [String: String] = [:]) throws {
        _ = try service.defaultCollection().createItem(
            label: "planted",
            attributes: slot.itemAttributes.merging(attributes) { $1 },
            secret: Secret(secret),
            replacing: false
        )
    }

    /// Puts other bytes in the place of a slot's record, in one step, so that it is heard.
    func replace(_ secret: [UInt8], in slot: RecordKey) throws {
        _ = try service.defaultCollection().createItem(
            label: "replaced",
            attributes: slot.itemAttributes,
            secret: Secret(secret),
            replacing: true
        )
    }

    /// Names the record of a slot.
    func key(_ group: String?, appID: String = "com.example.Mail") throws -> RecordKey {
        let scope: RecordKey.Scope = if let group { .group(group) } else { .app(appID) }
        return RecordKey(scope: scope, project: project, instance: AuthApp.defaultName, kind: "user")
    }

    private var service: SecretService { keyring.makeService() }

    private func choices() throws -> [String: String] {
        var choices: [String: String] = [:]
        for path in FileManager.default.enumerator(atPath: state)?.compactMap({ $0 as? String }) ?? [] {
            let content = FileManager.default.contents(atPath: "\(state)/\(path)") ?? Data()
            if path.hasSuffix(".json") { choices[path] = String(decoding: content, as: UTF8.self) }
        }
        return choices
    }
}

extension TestApp.World {
    /// Another app of the same project, with a choice of group of its own.
    ///
    /// Without a group it has the app id of the app under test, and so its own slot.
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

    /// Puts a user where another process would.
    func put(_ uid: String, _ token: String = "1", into group: String?, tenantID: String? = nil) async throws {
        let peer = try peer(group)
        if let tenantID { peer.auth.tenantID = tenantID }
        try await peer.signIn(uid, token, tenantID: tenantID)
    }
}

/// One item of a test's project, as the keyring holds it.
struct StoredItem: Hashable, CustomStringConvertible {
    let label: String
    let attributes: [String: String]
    let secret: [UInt8]

    /// Where it was set aside, it says so.
    var isSetAside: Bool { attributes["sharedauth-kind"]?.hasPrefix("user.set-aside.") == true }

    var description: String { "\(label) \(attributes["sharedauth-scope"] ?? "") (\(secret.count) bytes)" }
}

/// The two kinds of lock, which pass the same tests.
enum LockKind: String, CaseIterable, Sendable {
    case busName = "bus-name"
    case file

    /// What a peer process is started with.
    func argument(in world: TestApp.World) -> String {
        switch self {
        case .busName: rawValue
        case .file: "file:\(world.keyring.directory)/locks"
        }
    }
}
