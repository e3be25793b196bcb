import Foundation
import SecretService
import TestSupport

@testable import SharedAuth
@testable import SharedAuthRecords

/// A test's own project on a daemon, with access to its records and items.
struct Bench: Sendable {
    static let group = "group.example.bench"

    let keyring: PrivateKeyring
    let project = "test-\(UUID().uuidString)"
    /// The Secret Service methods that `store` has called.
    let calls = Calls()
    let store: SecretServiceRecordStore
    let service: SecretService

    init(_ keyring: PrivateKeyring) {
        self.keyring = keyring
        var configuration = SecretService.Configuration(
            busAddress: .address(keyring.busAddress),
            timeout: .seconds(20)
        )
        configuration.hasDisplay = true
        // Create the unrelated connection first, without an interceptor.
        service = SecretService(configuration)
        configuration.interceptor = calls.interceptor
        store = SecretServiceRecordStore(SecretService(configuration))
    }

    var deadline: Deadline { .after(.seconds(20)) }

    var key: RecordKey {
        RecordKey(scope: .project, project: project, instance: AuthApp.defaultName, kind: "test")
    }

    /// Returns a store on a new connection, as another process has.
    func otherStore() -> SecretServiceRecordStore { keyring.makeStore() }

    @discardableResult
    func write(_ text: String, through store: SecretServiceRecordStore? = nil) throws -> StoredRecord {
        try (store ?? self.store).update(key, by: deadline) { _ in .write(Array(text.utf8)) }
    }

    /// Returns the record as another process reads it.
    func read() throws -> StoredRecord { try otherStore().read(key, by: deadline) }

    /// Returns the record's text as another process reads it, or nil if no intact record is stored.
    func text() throws -> String? { try read().text }

    /// Whether another process finds no record.
    var isEmpty: Bool { get throws { if case .none = try read() { true } else { false } } }

    /// Returns the items that match the record's key, including those with more attributes, as another program finds
    /// them.
    func items() throws -> [SecretItem] { try service.items(matching: key.queryAttributes).unlocked }

    /// Returns the records of the project, as a store lists them.
    func list(_ store: SecretServiceRecordStore, by deadline: Deadline) throws -> [ListedRecord] {
        try store.listRecords(ofProject: project, instance: AuthApp.defaultName, kind: key.kind, by: deadline)
    }

    /// Creates an item as another program would, with the record's attributes and others.
    @discardableResult
    func plant(_ secret: Secret, adding attributes: [String: String] = [:]) throws -> SecretItem {
        try service.defaultCollection().createItem(
            label: "planted",
            attributes: key.itemAttributes.merging(attributes) { $1 },
            secret: secret,
            replacing: false
        )
    }
}

extension StoredRecord {
    var text: String? {
        if case .whole(let record) = self { String(decoding: record.payload, as: UTF8.self) } else { nil }
    }
}

/// Records the names of the methods that are called.
final class Calls: Sendable {
    private let seen = Recorder<String>()
    private let answered = Recorder<String>()

    var interceptor: CallInterceptor {
        CallInterceptor { [seen, answered] call, proceed in
            seen.record(call.member)
            if case .success = proceed() { answered.record(call.member) }
            return nil
        }
    }

    /// Returns the names of the methods called since the last call of `take()`.
    func take() -> [String] { seen.takeAll() }

    /// Waits until this method has been called since the last call of `take()`. Returns false if it is not called in
    /// time.
    func happens(_ member: String) -> Bool { seen.first { $0 == member } != nil }

    /// Waits until this method has been answered. Returns false if it is not in time.
    func isAnswered(_ member: String) -> Bool { answered.first { $0 == member } != nil }
}
