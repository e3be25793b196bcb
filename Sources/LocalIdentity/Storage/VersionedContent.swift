internal import FoundationEssentials
internal import SharedAuth

/// What a record's payload holds: JSON, under the number of its format.
struct VersionedContent<Content: Codable>: Codable {
    let version: Int
    let content: Content
}

extension VersionedContent {
    private static var present: Int { 1 }

    private struct Head: Decodable {
        let version: Int
    }

    /// Writes content in the present format.
    static func encode(_ content: Content) throws(AuthError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(VersionedContent(version: present, content: content)))
        } catch {
            throw AuthError(.internalError, "The accounts could not be written as JSON.")
        }
    }

    /// Reads what is stored under `key`; nil when nothing is.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`.
    static func decode(_ stored: StoredRecord, of key: RecordKey) throws(AuthError) -> Content? {
        switch stored {
        case .none: return nil
        case .damaged(let reason): throw .damaged(reason, key)
        case .newer(let reason): throw .newer(reason, key)
        case .whole(let record):
            // What is wrong is told without the decoder's words: they may quote the content.
            let payload = Data(record.payload)
            guard let head = try? JSONDecoder().decode(Head.self, from: payload), head.version >= 1 else {
                throw .damaged("it names no version", key)
            }
            guard head.version == present else { throw .newer("its version is \(head.version)", key) }
            guard let whole = try? JSONDecoder().decode(VersionedContent.self, from: payload) else {
                throw .damaged("parts are missing or of the wrong kind", key)
            }
            return whole.content
        }
    }
}
