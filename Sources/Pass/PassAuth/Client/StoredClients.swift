internal import FoundationEssentials
public import SharedAuth

/// An app's registrations at Pass's servers, stored in the app's own slot of the keyring, even if its tokens are in a
/// group.
///
/// A profile of REST v2 belongs to one client. So registrations are not shared between apps, and a log-out does not
/// delete them: an app that registers again loses its earlier profiles. Calls block, and may be made from any thread.
public struct StoredClients: Sendable {
    private let records: PassRecords
    private let timeout: Duration

    /// Creates the access to the registrations; nothing is read yet.
    ///
    /// - Parameters:
    ///   - appID: The app's id, in reverse DNS form.
    ///   - store: The store of the records.
    ///   - project: The project of the app's token stores.
    ///   - timeout: The time limit of a call.
    public init(
        appID: String,
        in store: any RecordStore,
        project: String = "adobe.pass",
        timeout: Duration = .seconds(5)
    ) {
        records = PassRecords(
            store: store,
            scope: .app(appID),
            project: project,
            prefix: "pass-client",
            schema: 1,
            now: { Date() },
            remedy: "Delete it in your keyring application: the app then registers again."
        )
        self.timeout = timeout
    }

    /// Returns the client for a server's address; nil before the first registration, and for a damaged record.
    ///
    /// - Throws: ``PassStoreError`` if it could not be read.
    public func client(at server: String) throws(PassStoreError) -> RegisteredClient? {
        do throws(PassStoreError) {
            return try records.content(name(of: server), by: .after(timeout))
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Stores a new client for a server, replacing the one that was refused, or none.
    ///
    /// - Returns: The client to use: another one, if a second process of the app was faster.
    /// - Throws: ``PassStoreError`` if it could not be written; a damaged record is set aside.
    public func replace(
        _ refused: RegisteredClient?,
        with new: RegisteredClient,
        at server: String
    ) throws(PassStoreError) -> RegisteredClient {
        try records.update(records.key(name(of: server)), by: .after(timeout), ifDamaged: .setAside) {
            (stored: inout RegisteredClient?) in
            if let stored, stored != refused { return stored }
            stored = new
            return new
        }
    }

    /// Waits for the lock to register at a server, which one process of the app holds at a time.
    ///
    /// - Returns: The lock to release after the registration; nil if another process still held it when the time was
    ///   over.
    /// - Throws: ``PassStoreError`` with code `locked`, `unavailable` and the like, as ``client(at:)``.
    package func registrationTurn(at server: String, within time: Duration) throws(PassStoreError) -> (any RecordLock)?
    {
        do throws(RecordStoreError) {
            return try records.store.acquire("register", for: records.key(name(of: server)), by: .after(time))
        } catch {
            if error.code == .timedOut { return nil }
            throw PassStoreError(error)
        }
    }

    /// Returns a digest, because a record's key is readable in the keyring and too short for an address.
    private func name(of server: String) -> String { String(Digest.fingerprint(of: server).prefix(32)) }
}
