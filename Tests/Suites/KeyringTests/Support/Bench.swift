import Dispatch
import Foundation
import SecretService
import TestSupport

@testable import SharedAuth
@testable import SharedAuthRecords

/// A project of a test's own on a daemon, and ways to get at it.
struct Bench: Sendable {
    static let group = "group.example.bench"

    let keyring: PrivateKeyring
    let project = "test-\(UUID().uuidString)"
    /// What one app calls of the Secret Service.
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
        // A stranger's connection first, without anything in between.
        service = SecretService(configuration)
        configuration.interceptor = calls.interceptor
        store = SecretServiceRecordStore(SecretService(configuration))
    }

    var deadline: Deadline { .after(.seconds(20)) }

    var key: RecordKey {
        RecordKey(scope: .project, project: project, instance: AuthApp.defaultName, kind: "test")
    }

    /// A store on a connection of its own, as another process has.
    func otherStore() -> SecretServiceRecordStore { keyring.makeStore() }

    @discardableResult
    func write(_ text: String, through store: SecretServiceRecordStore? = nil) throws -> StoredRecord {
        try (store ?? self.store).update(key, by: deadline) { _ in .write(Array(text.utf8)) }
    }

    /// What another process reads.
    func read() throws -> StoredRecord { try otherStore().read(key, by: deadline) }

    /// What another process reads, as text; nil if nothing whole is stored.
    func text() throws -> String? { try read().text }

    /// Whether another process finds nothing.
    var isEmpty: Bool { get throws { if case .none = try read() { true } else { false } } }

    /// The items in the record's place, those with more attributes included, as a stranger finds them.
    func items() throws -> [SecretItem] { try service.items(matching: key.queryAttributes).unlocked }

    /// The records of the project, as a store lists them.
    func list(_ store: SecretServiceRecordStore, by deadline: Deadline) throws -> [ListedRecord] {
        try store.listRecords(ofProject: project, instance: AuthApp.defaultName, kind: key.kind, by: deadline)
    }

    /// Puts a stranger's item there, with our attributes and others.
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

/// Notes the names of the methods that are called.
final class Calls: Sendable {
    private let seen = Recorder<String>()

    var interceptor: CallInterceptor {
        CallInterceptor { [seen] call, _ in
            seen.record(call.member)
            return nil
        }
    }

    /// The names of the methods called since the last look.
    func take() -> [String] { seen.takeAll() }

    /// Waits, off the threads that tests run on, until this method has been called since the last look; false if it is
    /// not.
    func happens(_ member: String) async -> Bool {
        await withCheckedContinuation { happened in
            DispatchQueue.global().async { [seen] in
                happened.resume(returning: seen.first { $0 == member } != nil)
            }
        }
    }
}
