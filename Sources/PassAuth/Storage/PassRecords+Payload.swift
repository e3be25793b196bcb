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
            guard error.code == .damaged, let substitute = policy.substitute else { throw error }
            return (substitute, true)
        }
    }

    /// What a record takes in bytes at most. A keyring's item is a third longer: the smallest keyring, pass-secret-service,
    /// stores 64 KiB at once and does not survive 256.
    static let mostBytes = 46 << 10

    /// By how many bytes a record of this content is too long for the smallest keyring; zero for one that fits.
    func excess(of content: some Codable) throws(PassStoreError) -> Int {
        max(0, try encode(content).count - Self.mostBytes)
    }

    /// The payload of a record; refused where it is too long for a keyring.
    func encode(_ content: some Codable, _ key: RecordKey) throws(PassStoreError) -> [UInt8] {
        let payload = try encode(content)
        guard payload.count <= Self.mostBytes else {
            throw PassStoreError(
                .full,
                "What is to be stored as \(key) takes \(payload.count) bytes, and a keyring may hold no more than "
                    + "\(Self.mostBytes) in one item. Store less, or log out to begin with an empty store."
            )
        }
        return payload
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
