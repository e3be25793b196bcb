internal import FoundationEssentials

/// The index of a store's buckets, in one record: who is signed in, and where the tokens are.
///
/// A bucket counts only while it is listed here, and under the present epoch. So the write of the index is what makes a
/// sign-in or a log-out happen, for all at once, and what is left of buckets afterwards is swept.
struct StoreIndex: Sendable, Hashable, Codable {
    /// One token that counts.
    struct Entry: Sendable, Hashable, Codable {
        let requestor: String
        let mvpd: String
        let device: String
        let expires: Date
        /// Whether other programmers may use it.
        let isShared: Bool
        /// Counts the sign-ins of the store, so the greatest is the newest.
        let number: UInt64
        let bucket: String
        let place: String
        /// The client that the sign-in is of, where that is known.
        var client: String?
    }

    /// An app that looks at an index.
    struct Viewer {
        let device: String
        let policy: DeviceMismatchPolicy
        let clients: ProfileClients
        /// The choosers of a TV provider, of whom the first that chose counts: the app, then all apps on the device.
        let choosers: [String]
        /// As whose a choice is noted. Those before it in the list are forgotten then.
        let chooser: String
    }

    /// The choice of a programmer's apps on one device.
    struct Selection: Sendable, Hashable, Codable {
        let requestor: String
        /// The device; of an app that has its sign-ins to itself, the app too.
        let device: String
        let mvpd: String?
        let canAuthenticate: Bool
    }

    /// A log-out ends it. It begins with the time, so that an index that replaces a damaged one gives no old bucket a
    /// new life.
    private(set) var epoch: UInt64
    private(set) var number: UInt64 = 0
    private(set) var entries: [Entry] = []
    private(set) var selections: [Selection] = []
    /// The buckets of which something may be stored, listed or not.
    private(set) var buckets: [String] = []
    /// The apps and programmers for which earlier layouts have been looked through.
    private(set) var imports: [String] = []
    /// The digests of tokens that were taken over from earlier layouts, the latest last: none is taken over twice.
    private(set) var importedTokens: [String]?
    /// Whether anybody ever logged out: from then on earlier layouts have nothing to say, unless an option has it
    /// otherwise.
    private(set) var hasLoggedOut: Bool
    /// Whether a log-out is still to be swept after.
    private(set) var isSweepDue: Bool?

    init(at date: Date, hasLoggedOut: Bool = false) {
        epoch = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        self.hasLoggedOut = hasLoggedOut
    }

    /// The name of a bucket: a digest of what identifies it, in which no two different lists of names are the
    /// same.
    ///
    /// Names without a line end or a backslash, which is all that Pass gives out, are joined as they always were.
    static func bucket(named parts: [String]) -> String {
        let escaped = parts.map { $0.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") }
        return String(Digest.fingerprint(of: escaped.joined(separator: "\n")).prefix(32))
    }

    /// A bucket has two places, so that a new token is whole before the old one goes.
    static func places(of bucket: String) -> [String] { ["\(bucket).0", "\(bucket).1"] }

    /// Whether something may be stored that does not count any more.
    var needsSweeping: Bool {
        if isSweepDue == true { return true }
        let used = Set(entries.map(\.bucket))
        return !buckets.allSatisfy(used.contains)
    }

    /// The place in a bucket where the next token goes: never the one in use.
    func freePlace(in bucket: String) -> String {
        let places = Self.places(of: bucket)
        return entries.contains { $0.place == places[0] } ? places[1] : places[0]
    }

    /// Whether a place holds a token that counts.
    func isInUse(_ place: String) -> Bool { entries.contains { $0.place == place } }

    func selection(of requestor: String, for viewer: Viewer) -> Selection? {
        let own = selections.filter { $0.requestor == requestor }
        return viewer.choosers.lazy.compactMap { chooser in own.first { $0.device == chooser } }.first
    }

    /// Whether a token would take the place of its like, which its programmer keeps from this other one.
    func keeps(_ token: AuthenticationToken, in bucket: String, from requestor: String) -> Bool {
        token.requestor != requestor
            && entries.contains {
                $0.bucket == bucket && $0.requestor == token.requestor && $0.mvpd == token.mvpd && !$0.isShared
            }
    }

    /// Whether a TV provider's tokens count for a programmer: where it chose a TV provider, that one's alone do, and
    /// where the choice was taken back, none.
    func admits(_ mvpd: String, for requestor: String, to viewer: Viewer) -> Bool {
        guard let selection = selection(of: requestor, for: viewer) else { return true }
        return selection.mvpd == mvpd
    }

    /// The tokens that can sign a programmer in, the best first: its own, then the newest.
    func candidates(
        for requestor: RequestorConfiguration,
        to viewer: Viewer,
        at date: Date
    ) -> [Entry] {
        entries.filter { entry in
            guard date < entry.expires, viewer.policy == .off || entry.device == viewer.device,
                viewer.clients.contains(entry.client),
                let integration = requestor.integration(with: entry.mvpd),
                admits(entry.mvpd, for: requestor.id, to: viewer)
            else { return false }
            return entry.requestor == requestor.id || entry.isShared && integration.isShared
        }
        .sorted { one, other in
            let isOwn = (one.requestor == requestor.id, other.requestor == requestor.id)
            return isOwn.0 == isOwn.1 ? one.number > other.number : isOwn.0
        }
    }

    /// Notes that something is about to be stored in a bucket.
    mutating func announce(_ bucket: String) {
        if !buckets.contains(bucket) { buckets.append(bucket) }
    }

    /// Lists a token, in place of what was in its bucket, and of an earlier sign-in of the same client.
    mutating func enter(_ token: AuthenticationToken, isShared: Bool, in bucket: String, at place: String) -> Entry {
        number += 1
        let entry = Entry(
            requestor: token.requestor,
            mvpd: token.mvpd,
            device: token.fingerprint,
            expires: token.expires,
            isShared: isShared,
            number: number,
            bucket: bucket,
            place: place,
            client: token.profileClient
        )
        entries.removeAll { $0.bucket == bucket || $0.isOfSameSignIn(as: entry) }
        entries.append(entry)
        announce(bucket)
        return entry
    }

    mutating func select(_ mvpd: String?, canAuthenticate: Bool, requestor: String, by viewer: Viewer) {
        let device = viewer.chooser
        let outdated = viewer.choosers.prefix { $0 != device }
        selections.removeAll { $0.requestor == requestor && outdated.contains($0.device) }
        let selection = Selection(requestor: requestor, device: device, mvpd: mvpd, canAuthenticate: canAuthenticate)
        if let place = selections.firstIndex(where: { $0.requestor == requestor && $0.device == device }) {
            selections[place] = selection
        } else {
            selections.append(selection)
        }
    }

    /// Takes tokens out; answers how many.
    mutating func removeEntries(where condition: (Entry) -> Bool) -> Int {
        let count = entries.count
        entries.removeAll(where: condition)
        return count - entries.count
    }

    mutating func removeSelections(exceptOn device: String) {
        selections.removeAll { $0.device != device && !$0.device.hasPrefix("\(device) ") }
    }

    mutating func noteImport(_ name: String) {
        if !imports.contains(name) { imports.append(name) }
    }

    /// Notes that a token of an earlier layout is taken over.
    mutating func noteImport(of token: AuthenticationToken) {
        importedTokens = Array(((importedTokens ?? []) + [Digest.fingerprint(of: token.serialized)]).suffix(64))
    }

    /// Whether a token of an earlier layout was taken over once.
    func hasImported(_ token: AuthenticationToken) -> Bool {
        importedTokens?.contains(Digest.fingerprint(of: token.serialized)) == true
    }

    /// Makes everything that is stored void.
    mutating func logOut(evenIfEmpty isForced: Bool = false) {
        hasLoggedOut = true
        if entries.isEmpty, selections.isEmpty, !isForced { return }
        isSweepDue = true
        epoch += 1
        entries = []
        selections = []
    }

    /// Everything was swept, but these places.
    mutating func forgetEmptyBuckets(except places: Set<String> = []) {
        let used = Set(entries.map(\.bucket))
        buckets.removeAll { !used.contains($0) && places.isDisjoint(with: Self.places(of: $0)) }
        isSweepDue = nil
    }
}

extension StoreIndex.Entry {
    /// Whether both are what a server knows as one: of a client, for a programmer and a TV provider.
    fileprivate func isOfSameSignIn(as other: StoreIndex.Entry) -> Bool {
        client != nil && client == other.client && requestor == other.requestor && mvpd == other.mvpd
            && device == other.device
    }
}
