internal import FoundationEssentials
internal import SharedAuth

/// The bytes of one record of a token store: JSON, under the number of the store's layout.
struct PassRecordCodec<Content: Codable & Sendable>: RecordCodec {
    let key: RecordKey
    /// The number of the layout.
    let schema: Int
    /// What to do about a damaged record, where the usual advice does not help.
    let remedy: String?

    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> Content {
        // The decoder's own message is left out: it may quote the content.
        let payload = Data(payload)
        guard let head = try? JSONDecoder().decode(PayloadHead.self, from: payload), head.schema >= 1 else {
            throw .damaged("it names no schema")
        }
        guard head.schema <= schema else { throw .newer("its schema is \(head.schema)") }
        guard let whole = try? JSONDecoder().decode(VersionedPayload<Content>.self, from: payload) else {
            throw .damaged("parts are missing or of the wrong kind")
        }
        return whole.content
    }

    /// Makes the payload.
    ///
    /// - Throws: `full` where it is too long for a keyring.
    func encode(_ content: Content, over found: StoredRecord) throws(PassStoreError) -> [UInt8] {
        let payload = try encode(content)
        guard payload.count <= PassRecords.mostBytes else {
            throw PassStoreError(
                .full,
                "What is to be stored as \(key) takes \(payload.count) bytes, and a keyring may hold no more than "
                    + "\(PassRecords.mostBytes) in one item. Store less, or log out to begin with an empty store."
            )
        }
        return payload
    }

    /// By how many bytes a record of this content is too long for the smallest keyring; zero for one that fits.
    func excess(of content: Content) throws(PassStoreError) -> Int {
        max(0, try encode(content).count - PassRecords.mostBytes)
    }

    func failure(of error: RecordStoreError) -> PassStoreError { PassStoreError(error) }

    func failure(of flaw: RecordFlaw) -> PassStoreError {
        switch flaw {
        case .damaged(let reason): .damaged(key, reason, remedy)
        case .newer(let reason): .newer(key, reason)
        }
    }

    private func encode(_ content: Content) throws(PassStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(VersionedPayload(schema: schema, content: content)))
        } catch {
            throw PassStoreError(.failed, "The store's records could not be written as JSON.")
        }
    }
}

/// What a record's payload is, in JSON: content, under the number of its layout.
struct VersionedPayload<Content: Codable>: Codable {
    let schema: Int
    let content: Content
}

/// The part of a payload that every layout has.
private struct PayloadHead: Decodable {
    let schema: Int
}
