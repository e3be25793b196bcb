internal import SharedAuth

/// Encodes and decodes one record of a token store: JSON, with the number of the store's layout.
struct PassRecordCodec<Content: Codable & Sendable>: RecordCodec {
    let key: RecordKey
    /// The number of the layout.
    let schema: Int
    /// The remedy for a damaged record, if it differs from the usual one.
    let remedy: String?

    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> Content {
        try VersionedPayload.content(of: payload, numberName, upTo: schema)
    }

    /// Encodes the payload.
    ///
    /// - Throws: ``PassStoreError`` with code `full` if it is too long for a keyring.
    func encode(_ content: Content, over found: StoredRecord) throws(PassStoreError) -> [UInt8] {
        let payload = try encode(content)
        guard payload.count <= PassRecords.mostBytes else {
            throw PassStoreError(
                .full,
                "The record \(key) takes \(payload.count) bytes, and a keyring may hold no more than "
                    + "\(PassRecords.mostBytes) in one item. Store less, or log out to start with an empty store."
            )
        }
        return payload
    }

    /// Returns by how many bytes a record of this content is too long for the smallest keyring; zero if it fits.
    func excess(of content: Content) throws(PassStoreError) -> Int {
        max(0, try encode(content).count - PassRecords.mostBytes)
    }

    func failure(of error: RecordStoreError) -> PassStoreError { PassStoreError(error) }

    func failure(of flaw: RecordFlaw) -> PassStoreError {
        switch flaw {
        case .empty, .damaged: .damaged(key, flaw.reason, remedy)
        case .newer(let reason): .newer(key, reason)
        }
    }

    private func encode(_ content: Content) throws(PassStoreError) -> [UInt8] {
        do {
            return try VersionedPayload(schema: schema, content: content).bytes
        } catch {
            throw PassStoreError(.failed, "The store's records could not be written as JSON.")
        }
    }
}

/// The payload's key for the number of the layout.
private let numberName = "schema"

extension VersionedPayload {
    init(schema: Int, content: Content) { self.init(numberName, schema, content) }
}
