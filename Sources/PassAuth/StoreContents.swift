/// The contents of a store: the tokens that can be read, and the names of those that cannot.
public struct StoreContents: Sendable, Hashable {
    /// The tokens that can be read, the oldest sign-in first.
    public internal(set) var tokens: [StoredToken] = []
    /// Those that cannot.
    public internal(set) var unreadable: [UnreadableToken] = []

    init() {}
}

/// A token in a store, valid or not, with the answers cached for it. Printed, it shows the programmer, the
/// TV provider and the expiry alone.
public struct StoredToken: Sendable, Hashable {
    /// The token.
    public let token: AuthenticationToken
    /// Whether programmers other than the token's own may use it.
    public let isShared: Bool
    /// The answers cached for it, by the ids of programmers.
    public let caches: [String: SessionCache]
}

extension StoredToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token's own description.
    public var description: String { "StoredToken(\(token))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["token": token]) }
}

/// A token that an index lists and that cannot be read. It stays where it is until its programmer signs in again or the
/// person logs out, and affects no other token.
public struct UnreadableToken: Sendable, Hashable {
    /// The programmer it was issued to.
    public let requestor: String
    /// The TV provider (MVPD) that issued it.
    public let mvpd: String
    /// `damaged` or `newerSchema`.
    public let code: PassStoreError.Code
    /// The reason, for people; nothing of the content.
    public let reason: String

    init(_ entry: StoreIndex.Entry, _ error: PassStoreError) {
        (requestor, mvpd) = (entry.requestor, entry.mvpd)
        (code, reason) = (error.code, error.message)
    }
}

extension PassTokenStore {
    /// Every token in the store, whatever programmer and device it was issued to and valid or not, the
    /// oldest sign-in first: for looking around. Who is signed in is ``session(of:)``'s to say.
    ///
    /// A token that cannot be understood does not hide the others: it is named in ``StoreContents/unreadable``. Costs a
    /// read for each token, and one more for each of its pages of authorizations. A token that is deleted meanwhile may
    /// be missing.
    /// - Throws: as ``session(of:)``, where the store as a whole cannot be read.
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
    /// them, by the TV providers' ids: for inspection. An app gets this information from Pass.
    ///
    /// Costs one read; what cannot be understood in a token is no obstacle.
    /// - Throws: as ``session(of:)``.
    public func storedIntegrations(of requestor: String) throws(PassStoreError) -> [MVPDIntegration] {
        let deadline = deadline
        var entries: [StoreIndex.Entry] = []
        for store in layouts { entries += try store.records.index(by: deadline).entries }
        return Set(entries.map(\.mvpd)).sorted().map { mvpd in
            let isKept = entries.contains { $0.mvpd == mvpd && $0.requestor == requestor && !$0.isShared }
            return MVPDIntegration(mvpd: mvpd, isPerRequestor: isKept)
        }
    }
}
