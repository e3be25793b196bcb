internal import SharedAuthRecords
internal import Synchronization

/// Caches a store's header and the key that opened it, so that neither is read again until the header changes.
final class OpenedStore: Sendable {
    private struct State {
        var identity: StoreDirectory.Identity?
        var cipher: RecordCipher?
    }

    private let path: String
    private let key: FileStoreKey
    private let state = Mutex(State())

    init(path: String, key: FileStoreKey) {
        self.path = path
        self.key = key
    }

    /// Throws if the key is missing, before anything is derived or created, even if nothing is stored yet. Does nothing
    /// once the key has opened the store.
    func requireKey() throws(RecordStoreError) {
        if state.withLock({ $0.cipher != nil }) { return }
        try key.check()
    }

    /// Returns the cipher for the records in the directory; nil if nothing has been stored there yet.
    ///
    /// - Throws: `damaged` if the header is damaged, or is missing although there are records; `unavailable` if a store
    ///   that existed is gone; or the error that prevents using the key.
    func cipher(
        in directory: borrowing StoreDirectory,
        by deadline: Deadline
    ) throws(RecordStoreError) -> RecordCipher? {
        let found = try find { () throws(RecordStoreError) in try directory.identity(of: StoreHeader.name) }
        guard let identity = found else {
            guard try !directory.names().contains(where: { $0.hasSuffix(".record") }) else {
                // Another process may have stored the first record in the meantime.
                if try directory.identity(of: StoreHeader.name) != nil {
                    return try cipher(in: directory, by: deadline)
                }
                throw .damagedHeader("The store's header \(path)/\(StoreHeader.name) is missing.")
            }
            return nil
        }
        let known = state.withLock { $0.identity == identity ? $0.cipher : nil }
        if let known { return known }
        let contents = try directory.read(StoreHeader.name)
        let header: StoreHeader
        switch contents {
        case .bytes(let text):
            header = try StoreHeader(decoding: text, path: "\(path)/\(StoreHeader.name)")
        case .unusable(let reason):
            throw .damagedHeader("The store's header \(path)/\(StoreHeader.name) is damaged: \(reason).")
        case .none:
            throw .gone(path)
        }
        let cipher = try key.cipher(for: header, of: path, by: deadline)
        state.withLock { $0 = State(identity: identity, cipher: cipher) }
        return cipher
    }

    /// Writes a header if it does not exist. The caller holds the header's lock.
    func makeHeader(
        in directory: borrowing StoreDirectory,
        by deadline: Deadline
    ) throws(RecordStoreError) -> RecordCipher {
        if let cipher = try cipher(in: directory, by: deadline) { return cipher }
        let made = try key.makeHeader(by: deadline)
        try directory.replace(StoreHeader.name, with: try made.header.encoded())
        let identity = try directory.identity(of: StoreHeader.name)
        state.withLock { $0 = State(identity: identity, cipher: made.cipher) }
        return made.cipher
    }

    /// Returns what `look` finds on disk; nil if it finds nothing and this process had not used the store before.
    ///
    /// - Throws: `unavailable` if it finds nothing although this process had used the store: a store that is gone must
    ///   not look like an empty one.
    func find<Found: ~Copyable>(
        _ look: () throws(RecordStoreError) -> Found?
    ) throws(RecordStoreError) -> Found? {
        // Read before the look, because another thread may create the store after it.
        let wasUsed = state.withLock { $0.identity != nil }
        if let found = try look() { return found }
        if wasUsed { throw .gone(path) }
        return nil
    }
}

extension RecordStoreError {
    static func gone(_ path: String) -> RecordStoreError {
        RecordStoreError(
            .unavailable,
            "The store \(path) is gone.",
            remedy: "Put the directory back, or start the app again to begin a new store."
        )
    }
}
