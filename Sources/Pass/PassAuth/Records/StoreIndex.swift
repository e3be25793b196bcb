internal import FoundationEssentials

/// The index of a store's buckets, in one record: which programmers are signed in, and the places of the tokens.
///
/// A bucket is valid only while it is listed here, and under the current epoch. So the write of the index makes a
/// sign-in or a log-out take effect for all apps at the same time; buckets left after it are swept.
struct StoreIndex: Sendable, Hashable, Codable {
    /// A listed token. It may have expired.
    struct Entry: Sendable, Hashable, Codable {
        let requestor: String
        let mvpd: String
        let device: String
        let expires: Date
        /// Indicates whether other programmers may use it.
        let isShared: Bool
        /// The number of the sign-in, counted per store: the greatest is the newest.
        let number: UInt64
        let bucket: String
        let place: String
        /// The client that the sign-in belongs to, if it is known.
        var client: String?
    }

    /// An app that reads an index.
    struct Viewer {
        let device: String
        let policy: DeviceMismatchPolicy
        let clients: ProfileClients
        /// The owners of a selection; the first that has one determines the TV provider: the app, then all apps on the
        /// device.
        let choosers: [String]
        /// The owner a selection is saved under. Selections of owners that precede it in `choosers` are removed then.
        let chooser: String
    }

    /// The TV provider selected for a programmer's apps on one device.
    struct Selection: Sendable, Hashable, Codable {
        let requestor: String
        /// The device; followed by the app, for an app whose sign-ins are private.
        let device: String
        let mvpd: String?
        let canAuthenticate: Bool
    }

    /// The epoch, which a log-out ends. It starts with the time, so that an index that replaces a damaged one does not
    /// make an old bucket valid again.
    private(set) var epoch: UInt64
    private(set) var number: UInt64 = 0
    private(set) var entries: [Entry] = []
    private(set) var selections: [Selection] = []
    /// The buckets that may hold records, with or without an entry.
    private(set) var buckets: [String] = []
    /// The apps and programmers for which tokens of earlier layouts were already imported or searched for.
    private(set) var imports: [String] = []
    /// The digests of tokens that were imported from earlier layouts, the latest last: none is imported twice.
    private(set) var importedTokens: [String]?
    /// Indicates whether the user ever logged out. After that nothing is imported from earlier layouts, unless an
    /// option allows it.
    private(set) var hasLoggedOut: Bool
    /// Indicates whether the records left by a log-out are still to be swept.
    private(set) var isSweepDue: Bool?

    init(at date: Date, hasLoggedOut: Bool = false) {
        epoch = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        self.hasLoggedOut = hasLoggedOut
    }

    /// Returns the name of a bucket: a digest of the names that identify it, which differs for any two different lists
    /// of names.
    ///
    /// Names without a line end or a backslash, the only ones that Pass issues, are joined as in earlier versions.
    static func bucket(named parts: [String]) -> String {
        let escaped = parts.map { $0.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") }
        return String(Digest.fingerprint(of: escaped.joined(separator: "\n")).prefix(32))
    }

    /// Returns the two places of a bucket. A new token is written completely before the old one is deleted.
    static func places(of bucket: String) -> [String] { ["\(bucket).0", "\(bucket).1"] }

    /// Indicates whether there may be records that are no longer valid.
    var needsSweeping: Bool {
        if isSweepDue == true { return true }
        let used = Set(entries.map(\.bucket))
        return !buckets.allSatisfy(used.contains)
    }

    /// Returns the place in a bucket for the next token: never the one in use.
    func freePlace(in bucket: String) -> String {
        let places = Self.places(of: bucket)
        return entries.contains { $0.place == places[0] } ? places[1] : places[0]
    }

    /// Returns whether a place holds a valid token.
    func isInUse(_ place: String) -> Bool { entries.contains { $0.place == place } }

    func selection(of requestor: String, for viewer: Viewer) -> Selection? {
        let own = selections.filter { $0.requestor == requestor }
        return viewer.choosers.lazy.compactMap { chooser in own.first { $0.device == chooser } }.first
    }

    /// Returns whether a bucket holds an unshared token of the token's own programmer, which a sign-in of another
    /// programmer, `requestor`, must not replace.
    func keeps(_ token: AuthenticationToken, in bucket: String, from requestor: String) -> Bool {
        token.requestor != requestor
            && entries.contains {
                $0.bucket == bucket && $0.requestor == token.requestor && $0.mvpd == token.mvpd && !$0.isShared
            }
    }

    /// Returns whether a TV provider's tokens are valid for a programmer: only those of the selected one, or none if
    /// the selection was removed.
    func admits(_ mvpd: String, for requestor: String, to viewer: Viewer) -> Bool {
        guard let selection = selection(of: requestor, for: viewer) else { return true }
        return selection.mvpd == mvpd
    }

    /// Returns the tokens that can sign a programmer in, the best first: its own, then the newest.
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

    /// Lists a bucket that is about to be written.
    mutating func announce(_ bucket: String) {
        if !buckets.contains(bucket) { buckets.append(bucket) }
    }

    /// Lists a token. Replaces the entry of its bucket, and an earlier sign-in of the same client.
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
        if let index = selections.firstIndex(where: { $0.requestor == requestor && $0.device == device }) {
            selections[index] = selection
        } else {
            selections.append(selection)
        }
    }

    /// Removes entries; returns how many.
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

    /// Notes that a token of an earlier layout is imported.
    mutating func noteImport(of token: AuthenticationToken) {
        importedTokens = Array(((importedTokens ?? []) + [Digest.fingerprint(of: token.serialized)]).suffix(64))
    }

    /// Returns whether a token of an earlier layout was imported before.
    func hasImported(_ token: AuthenticationToken) -> Bool {
        importedTokens?.contains(Digest.fingerprint(of: token.serialized)) == true
    }

    /// Makes all stored tokens void.
    mutating func logOut(evenIfEmpty isForced: Bool = false) {
        hasLoggedOut = true
        if entries.isEmpty, selections.isEmpty, !isForced { return }
        isSweepDue = true
        epoch += 1
        entries = []
        selections = []
    }

    /// Removes the swept buckets from the list: all that are unused, except those with these places.
    mutating func forgetEmptyBuckets(except places: Set<String> = []) {
        let used = Set(entries.map(\.bucket))
        buckets.removeAll { !used.contains($0) && places.isDisjoint(with: Self.places(of: $0)) }
        isSweepDue = nil
    }
}

extension StoreIndex.Entry {
    /// Returns whether a server knows both as one sign-in: of the same client, programmer, TV provider and device.
    fileprivate func isOfSameSignIn(as other: StoreIndex.Entry) -> Bool {
        client != nil && client == other.client && requestor == other.requestor && mvpd == other.mvpd
            && device == other.device
    }
}
