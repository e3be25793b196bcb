internal import FoundationEssentials
internal import Synchronization

/// An authorization as it is stored: with its expiry, so that a write need not parse all that it keeps.
struct StoredAuthorization: Sendable, Hashable, Codable {
    let fragment: String
    /// Nil where an older version of the library stored it, in the bucket: it is then still to be read from the
    /// fragment.
    let expires: Date?

    var token: AuthorizationToken? { try? AuthorizationToken(fragment: fragment) }

    /// The same with its expiry; nil where the fragment cannot be read.
    var dated: StoredAuthorization? {
        if expires != nil { return self }
        return token.map { StoredAuthorization(fragment: fragment, expires: $0.expires) }
    }
}

/// A sixteenth of the authorizations of a session, in a record of its own: storing one more costs the writing of its
/// page, however many there are, and no item of the keyring grows too long.
///
/// A page counts only with the bucket whose sign-in it names; what an earlier one left is as good as nothing.
struct AuthorizationPage: Sendable, Hashable, Codable {
    let epoch: UInt64
    let number: UInt64
    /// By programmer, then by the SHA-256 digest of the resource.
    var authorizations: [String: [String: StoredAuthorization]] = [:]

    /// The page that an authorization is on: the first digit of its resource's digest.
    static func index(of digest: String) -> Int { digest.first?.hexDigitValue ?? 0 }

    /// Returns the place of a page.
    static func place(_ index: Int, of bucket: String) -> String { "\(bucket).p\(String(index, radix: 16))" }

    func belongs(to bucket: Bucket) -> Bool { epoch == bucket.epoch && number == bucket.number }

    /// Takes over what a programmer kept and dropped, and leaves out what has been expired for long.
    mutating func take(_ changes: [String: StoredAuthorization?], of requestor: String, at date: Date) {
        var own = authorizations[requestor] ?? [:]
        for (digest, change) in changes { own[digest] = change?.dated }
        authorizations[requestor] = own
        authorizations = authorizations.compactMapValues { kept in
            let left = kept.filter { !Expiry.isLongPast($0.value.expires, at: date) }
            return left.isEmpty ? nil : left
        }
    }

    /// Leaves out the authorizations that expire first, as many as free so many bytes, but none of these; says whether
    /// there was one. What is stored here only saves a call, so the server gives it again.
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

/// One programmer's authorizations in a session, each page read when something on it is asked for.
final class AuthorizationPages: Sendable {
    private struct State {
        var pages: [Int: [String: StoredAuthorization]] = [:]
        var failure: PassStoreError?
    }

    private let indices: Set<Int>
    private let read: @Sendable (Int) throws(PassStoreError) -> [String: StoredAuthorization]
    private let state = Mutex(State())

    /// None.
    convenience init() { self.init([]) { _ throws(PassStoreError) in [:] } }

    /// These.
    convenience init(_ authorizations: [String: StoredAuthorization]) {
        let pages = Dictionary(grouping: authorizations) { AuthorizationPage.index(of: $0.key) }
            .mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
        self.init(Set(pages.keys)) { index throws(PassStoreError) in pages[index] ?? [:] }
    }

    /// Those on the pages of these indices.
    init(
        _ indices: Set<Int>,
        read: @escaping @Sendable (Int) throws(PassStoreError) -> [String: StoredAuthorization]
    ) {
        self.indices = indices
        self.read = read
    }

    /// The authorization of a resource, by its digest.
    func authorization(_ digest: String) -> StoredAuthorization? {
        page(AuthorizationPage.index(of: digest))[digest]
    }

    /// All of them, by the digests of their resources.
    var all: [String: StoredAuthorization] {
        indices.reduce(into: [:]) { all, index in all.merge(page(index)) { one, _ in one } }
    }

    /// Throws what kept a page from being read, if one was asked for and could not be.
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

/// When something that has expired is thrown away.
///
/// Whether a token is good is judged whenever it is read. Thrown away is only what has been expired for 30 days: one
/// app whose clock is wrong must not cost the others their tokens.
enum Expiry {
    private static let grace: TimeInterval = 30 * 86_400

    static func isLongPast(_ expires: Date?, at date: Date) -> Bool {
        expires.map { $0 + grace <= date } ?? false
    }
}
