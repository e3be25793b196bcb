public import DesktopSupport
internal import SharedAuth

/// The contents of a store: the readable tokens, and the names of the unreadable ones.
public struct StoreContents: Sendable, Hashable {
    /// The readable tokens, in the order of ``PassTokenStore/contents()``.
    public internal(set) var tokens: [StoredToken] = []
    /// The unreadable tokens.
    public internal(set) var unreadable: [UnreadableToken] = []

    init() {}
}

/// A token in a store, valid or not, with the responses cached for it. Its description shows only the programmer, the
/// TV provider and the expiry.
public struct StoredToken: Sendable, Hashable {
    /// The token.
    public let token: AuthenticationToken
    /// Indicates whether programmers other than the token's own may use it.
    public let isShared: Bool
    /// The responses cached for it, by programmer id.
    public let caches: [String: SessionCache]
}

extension StoredToken: Redacted {
    /// The name of the type and the token's own description.
    public var description: String { "StoredToken(\(token))" }
    /// The token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["token": token]) }
}

/// A token that the index lists and that cannot be read. It stays until its programmer signs in again or the user logs
/// out, and affects no other token.
public struct UnreadableToken: Sendable, Hashable {
    /// The programmer it was issued to.
    public let requestor: String
    /// The TV provider (MVPD) that issued it.
    public let mvpd: String
    /// `damaged` or `newerSchema`.
    public let code: PassStoreError.Code
    /// The reason, as text for the user; nothing of the content.
    public let reason: String

    init(_ entry: StoreIndex.Entry, _ error: PassStoreError) {
        (requestor, mvpd) = (entry.requestor, entry.mvpd)
        (code, reason) = (error.code, error.message)
    }
}

extension PassTokenStore {
    /// Returns every token in the store, valid or not, of all programmers and devices, the oldest sign-in first; in
    /// ``StorageGeneration/singleSlot``, those of the app's private file before the slot's. Use it for inspection;
    /// ``session(of:)`` returns the session of a programmer.
    ///
    /// A token that cannot be decoded does not hide the others: it is listed in ``StoreContents/unreadable``. Costs one
    /// read for each token, and one more for each page of its authorizations. A token that is deleted during the call
    /// may be missing.
    /// - Throws: The errors of ``session(of:)`` if the store as a whole cannot be read.
    public func contents() throws(PassStoreError) -> StoreContents {
        let deadline = deadline
        var contents = StoreContents()
        for store in layouts {
            let index = try store.records.index(by: deadline)
            for entry in index.entries.sorted(by: { $0.number < $1.number }) {
                do throws(PassStoreError) {
                    guard let bucket = try store.bucket(of: entry, in: index, by: deadline) else { continue }
                    let token = try store.read(bucket, at: entry)
                    let caches = try store.caches(of: bucket, at: entry.place, by: deadline)
                    contents.tokens.append(StoredToken(token: token, isShared: entry.isShared, caches: caches))
                } catch {
                    guard error.isOfOneRecord else { throw error }
                    contents.unreadable.append(UnreadableToken(entry, error))
                }
            }
        }
        return contents
    }

    /// Returns a programmer's integrations with the TV providers whose tokens are stored, as far as the tokens show
    /// them, sorted by the TV providers' ids. Use it for inspection; an app gets its integrations from Pass.
    ///
    /// Costs one read for each store of the layout; tokens that cannot be decoded do not matter.
    /// - Throws: The errors of ``session(of:)``.
    public func storedIntegrations(of requestor: String) throws(PassStoreError) -> [MVPDIntegration] {
        try storedIntegrations(of: requestor, by: deadline)
    }

    func storedIntegrations(
        of requestor: String,
        by deadline: Deadline
    ) throws(PassStoreError) -> [MVPDIntegration] {
        var entries: [StoreIndex.Entry] = []
        for store in layouts { entries += try store.records.index(by: deadline).entries }
        return Set(entries.map(\.mvpd)).sorted().map { mvpd in
            let isKept = entries.contains { $0.mvpd == mvpd && $0.requestor == requestor && !$0.isShared }
            return MVPDIntegration(mvpd: mvpd, isPerRequestor: isKept)
        }
    }
}
