import Foundation
import SecretService
import SharedAuth

@testable import PassAuth

extension StoreWorld {
    /// Has those who watch the index look again, though nothing changed.
    func touchIndex(of store: PassTokenStore) throws {
        memory.put(try memory.read(store.records.indexKey, within: .after(.seconds(5))), under: store.records.indexKey)
    }

    /// Puts bytes where a record belongs.
    func put(_ text: String, under key: RecordKey) throws {
        try memory.update(key, within: .after(.seconds(5))) { _ in .replaceDamaged(Array(text.utf8)) }
    }

    /// What is stored under a key, as text.
    func text(_ key: RecordKey) throws -> String? {
        guard case .whole(let record) = try memory.read(key, within: .after(.seconds(5))) else { return nil }
        return String(decoding: record.payload, as: UTF8.self)
    }
}
