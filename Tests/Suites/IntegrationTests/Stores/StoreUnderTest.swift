import Foundation
import SecretService
import SharedAuthFleet
import TestSupport
import Testing

@testable import SharedAuth

/// The stores that pass the contract.
enum StoreUnderTest: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inMemory
    case secretService
    case dedicatedCollection
    case encryptedFile
    /// Two processes of a device whose records are on PostgreSQL.
    case fleet

    var testDescription: String { rawValue }

    private static let fleetServer = Result {
        let server = try PrivatePostgres()
        try server.administer(Fleet.schema)
        return server
    }

    private static let dedicatedCollections = Result { try PrivateKeyring(withOpen: ["office"]) }

    /// Returns two stores that hold the same records, as two processes would, and a key that no other test uses.
    func pair() throws -> StorePair {
        let key = RecordKey(
            scope: .group("group.example.contract"),
            project: "contract-\(UUID().uuidString)",
            instance: AuthApp.defaultName,
            kind: "user"
        )
        switch self {
        case .inMemory:
            let store = InMemoryRecordStore()
            return StorePair(one: store, two: store, key: key)
        case .secretService:
            let keyring = try PrivateKeyring.shared.get()
            func store() -> SecretServiceRecordStore {
                keyring.makeStore()
            }
            return StorePair(one: store(), two: store(), key: key)
        case .dedicatedCollection:
            // One store has a dedicated collection, which the other does not know.
            let keyring = try Self.dedicatedCollections.get()
            func store(_ collection: RecordCollection) -> SecretServiceRecordStore {
                keyring.makeStore(collection: collection)
            }
            return StorePair(one: store(.named("office")), two: store(.standard), key: key)
        case .encryptedFile:
            let site = try FileSite(in: "\(try PrivateKeyring.shared.get().directory)/files-\(key.project)")
            return StorePair(one: site.store(), two: site.store(), key: key)
        case .fleet:
            let local = try Self.fleetDevice()
            return StorePair(one: FleetRecordStore(local: local), two: FleetRecordStore(local: local), key: key)
        }
    }

    /// Returns the local store of a device, the first of a new person's fleet.
    private static func fleetDevice() throws -> InMemoryRecordStore {
        let local = InMemoryRecordStore()
        try Fleet(local: local).begin(at: fleetAddress(), deviceName: "one", by: .patient)
        return local
    }

    /// Returns the address of a new person on the server.
    static func fleetAddress() throws -> ServerAddress {
        let server = try fleetServer.get()
        let role = server.newRole()
        try server.administer(
            """
            CREATE ROLE \(role) LOGIN IN ROLE sharedauth_person;
            INSERT INTO sharedauth_fleet.person (role) VALUES ('\(role)');
            """
        )
        return ServerAddress(
            host: server.directory,
            port: server.port,
            database: PrivatePostgres.database,
            role: role
        )
    }
}

/// Two views of the same records.
struct StorePair: Sendable {
    let one: any RecordStore
    let two: any RecordStore
    let key: RecordKey

    /// Other keys, each of which differs in one part.
    var otherKeys: [RecordKey] {
        [
            RecordKey(scope: .project, project: key.project, instance: key.instance, kind: key.kind),
            RecordKey(scope: .app("com.example.Mail"), project: key.project, instance: key.instance, kind: key.kind),
            RecordKey(scope: key.scope, project: key.project + "x", instance: key.instance, kind: key.kind),
            RecordKey(scope: key.scope, project: key.project, instance: "other", kind: key.kind),
            RecordKey(scope: key.scope, project: key.project, instance: key.instance, kind: "pass"),
        ]
    }
}

extension RecordStore {
    func record(_ key: RecordKey) throws -> Record? {
        switch try read(key, by: .after(.seconds(20))) {
        case .none: return nil
        case .whole(let record): return record
        case .empty: throw RecordStoreError(.damaged, "it is empty")
        case .damaged(let reason), .newer(let reason): throw RecordStoreError(.damaged, reason)
        }
    }

    @discardableResult
    func change(_ key: RecordKey, _ change: RecordChange) throws -> Record? {
        let stored = try update(key, by: .after(.seconds(20))) { _ in change }
        if case .whole(let record) = stored { return record }
        return nil
    }
}
