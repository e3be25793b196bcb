internal import FoundationEssentials
internal import SharedAuth

extension PassRecords {
    /// What a record says, nil when there is none; when it is damaged and that is no obstacle, what counts instead.
    func content<Content: Codable>(
        of stored: StoredRecord,
        _ key: RecordKey,
        _ policy: DamagePolicy<Content>
    ) throws(PassStoreError) -> (Content?, isDamaged: Bool) {
        do throws(PassStoreError) {
            return (try content(of: stored, key), false)
        } catch {
            guard error.code == .damaged, case .setAside(let substitute) = policy else { throw error }
            return (substitute, true)
        }
    }

    func encode(_ content: some Codable) throws(PassStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(VersionedPayload(schema: schema, content: content)))
        } catch {
            throw PassStoreError(.failed, "The store's records could not be written as JSON.")
        }
    }

    private func content<Content: Codable>(of stored: StoredRecord, _ key: RecordKey) throws(PassStoreError) -> Content?
    {
        switch stored {
        case .none: return nil
        case .damaged(let reason): throw .damaged(key, reason, remedy)
        case .newer(let reason): throw .newer(key, reason)
        case .whole(let record):
            // What is wrong is told without the decoder's words: they may quote the content.
            let payload = Data(record.payload)
            guard let head = try? JSONDecoder().decode(PayloadHead.self, from: payload), head.schema >= 1 else {
                throw .damaged(key, "it names no schema", remedy)
            }
            guard head.schema <= schema else { throw .newer(key, "its schema is \(head.schema)") }
            guard let whole = try? JSONDecoder().decode(VersionedPayload<Content>.self, from: payload) else {
                throw .damaged(key, "parts are missing or of the wrong kind", remedy)
            }
            return whole.content
        }
    }
}
