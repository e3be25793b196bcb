internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// An authorization as it is stored, with its expiry, so that a write does not have to parse all stored fragments.
struct StoredAuthorization: Sendable, Hashable, Codable {
    let fragment: String
    /// Nil if an older version of the library stored the authorization in the bucket: the expiry has to be read from
    /// the fragment.
    let expires: Date?
    /// The date at which it was stored; nil if a version that did not note it stored it.
    var stored: Date?

    var token: AuthorizationToken? { try? AuthorizationToken(fragment: fragment) }

    /// The same authorization with its expiry; nil if the fragment cannot be decoded.
    var dated: StoredAuthorization? {
        if expires != nil { return self }
        return token.map { StoredAuthorization(fragment: fragment, expires: $0.expires) }
    }
}

/// A sixteenth of the authorizations of a session, in a separate record. Storing one more authorization writes only its
/// page, and no item of the keyring grows too long.
///
/// A page belongs to the sign-in that it names; a page of an earlier sign-in is ignored.
struct AuthorizationPage: Sendable, Hashable, Codable {
    let epoch: UInt64
    let number: UInt64
    /// By programmer, then by the SHA-256 digest of the resource.
    var authorizations: [String: [String: StoredAuthorization]] = [:]

    /// Returns the page of an authorization: the first digit of its resource's digest.
    static func index(of digest: String) -> Int { digest.first?.hexDigitValue ?? 0 }

    /// Returns the place of a page.
    static func place(_ index: Int, of bucket: String) -> String { "\(bucket).p\(String(index, radix: 16))" }

    /// Returns the page without the authorizations that came when this machine's clock was ahead: the dates at which they
    /// expire are unknown, and the server knows better.
    func known(at date: Date) -> AuthorizationPage {
        var page = self
        page.authorizations = authorizations.mapValues { kept in
            kept.filter { $0.value.stored?.isFromFuture(at: date) != true }
        }
        return page
    }

    func belongs(to bucket: Bucket) -> Bool { epoch == bucket.epoch && number == bucket.number }

    /// Applies a programmer's changes, and removes authorizations that expired long ago.
    mutating func take(_ changes: [String: StoredAuthorization?], of requestor: String, at date: Date) {
        var own = authorizations[requestor] ?? [:]
        for (digest, change) in changes {
            var kept = change?.dated
            kept?.stored = date
            own[digest] = kept
        }
        authorizations[requestor] = own
        authorizations = authorizations.compactMapValues { kept in
            let left = kept.filter { !Expiry.isLongPast($0.value.expires, at: date) }
            return left.isEmpty ? nil : left
        }
    }

    /// Removes as many authorizations as necessary to free this number of bytes, the first to expire first, but none of
    /// `digests`. Returns whether any was removed. Removed authorizations are requested from the server again.
    mutating func makeRoom(_ bytes: Int, for requestor: String, except digests: some Collection<String>) -> Bool {
        let others = authorizations.flatMap { owner, kept in
            kept.filter { owner != requestor || !digests.contains($0.key) }
                .map { (owner: owner, digest: $0.key, stored: $0.value, expires: $0.value.expires ?? .distantPast) }
        }
        .sorted { ($0.expires, $0.digest) < ($1.expires, $1.digest) }
        var freed = 0
        for other in others where freed < bytes {
            authorizations[other.owner]?[other.digest] = nil
            freed += other.stored.fragment.utf8.count
        }
        return freed > 0
    }
}

/// One programmer's authorizations in a session; each page is read on first use.
final class AuthorizationPages: Sendable {
    private struct State {
        var pages: [Int: [String: StoredAuthorization]] = [:]
        var failure: PassStoreError?
    }

    private let indices: Set<Int>
    private let read: @Sendable (Int) throws(PassStoreError) -> [String: StoredAuthorization]
    private let state = Mutex(State())

    /// Creates an empty set of authorizations.
    convenience init() { self.init([]) { _ throws(PassStoreError) in [:] } }

    /// Creates a set of these authorizations.
    convenience init(_ authorizations: [String: StoredAuthorization]) {
        let pages = Dictionary(grouping: authorizations) { AuthorizationPage.index(of: $0.key) }
            .mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
        self.init(Set(pages.keys)) { index throws(PassStoreError) in pages[index] ?? [:] }
    }

    /// Creates a set of the authorizations on the pages with these indices.
    init(
        _ indices: Set<Int>,
        read: @escaping @Sendable (Int) throws(PassStoreError) -> [String: StoredAuthorization]
    ) {
        self.indices = indices
        self.read = read
    }

    /// Returns the authorization of a resource, by its digest.
    func authorization(_ digest: String) -> StoredAuthorization? {
        page(AuthorizationPage.index(of: digest))[digest]
    }

    /// All authorizations, by the digests of their resources.
    var all: [String: StoredAuthorization] {
        indices.reduce(into: [:]) { all, index in all.merge(page(index)) { one, _ in one } }
    }

    /// Throws the error that kept a requested page from being read, if there was one.
    func check() throws(PassStoreError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func page(_ index: Int) -> [String: StoredAuthorization] {
        guard indices.contains(index) else { return [:] }
        if let page = state.withLock({ $0.pages[index] }) { return page }
        do throws(PassStoreError) {
            let page = try read(index)
            state.withLock { $0.pages[index] = page }
            return page
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            return [:]
        }
    }
}

/// The time at which expired tokens are deleted.
///
/// Validity is checked at each read. Only tokens that have been expired for 30 days are deleted, so that one app with a
/// wrong clock does not delete the tokens of the others.
enum Expiry {
    private static let grace: TimeInterval = 30 * 86_400

    static func isLongPast(_ expires: Date?, at date: Date) -> Bool {
        expires.map { $0 + grace <= date } ?? false
    }
}
