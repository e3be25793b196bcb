/// The knowledge of one device about one shared record, and the rules by which it acts. No rule uses a clock.
///
/// 1. The store is the truth. The device's copy of it is read-only while the store is away.
/// 2. A write names the position that it follows, and is refused if the store has another.
/// 3. A sign-out names its sessions and always counts: it needs no present copy, and is carried out again if the store
///    shows one of these sessions later.
/// 4. New tokens enter the device's copy before they are sent to the store. Older tokens of the same session never
///    replace them.
/// 5. A store that shows an earlier record than the device remembers was restored from a backup. If the device knows
///    that record, nothing was written since then, and the device writes its copy above it. Otherwise only sessions
///    that both have remain.
/// 6. With a new epoch, every session of the epochs before has ended.
struct FleetState<Content: FleetContent>: Sendable, Hashable, Codable {
    /// A record of the store: a write, and the content that it left; nil if no user was signed in afterwards.
    struct Copy: Sendable, Hashable, Codable {
        let position: Position
        var content: Content?
    }

    /// The latest record that the device has seen or written, with tokens that have perhaps not reached the store.
    private(set) var copy: Copy?
    /// The positions of the records seen before, oldest first.
    private var earlier: [Position] = []
    /// The names of sessions that ended, oldest first.
    private var ended: [String] = []

    /// The numbers of positions and of names that are remembered.
    private static var limits: (positions: Int, names: Int) { (64, 256) }

    init() {}

    /// The content to show while the store is away.
    var shown: Content? { copy?.content?.removing(Set(ended)) }

    /// The names of sessions in the copy that were signed out on this device, which the store does not know yet.
    var pendingSignOuts: Set<String> { (copy?.content?.names ?? []).intersection(ended) }
}

// MARK: With the store

extension FleetState {
    /// The result of comparing the store with the device's memory.
    struct Meeting {
        /// The content that the record should have.
        let content: Content?
        /// Indicates whether the content must be written, because the store does not have it.
        let mustWrite: Bool
        /// Indicates whether the store shows an earlier state than the device remembers.
        let isRestored: Bool
    }

    /// Compares the record of the store, nil if it has none of the present epoch, with the device's memory. Remembers
    /// which sessions have ended, and the record itself if nothing needs to be written.
    mutating func meet(_ stored: Copy?, epoch: UInt64) -> Meeting {
        if let position = copy?.position, position.epoch < epoch {
            noteEnded(besides: nil)
            copy?.content = nil
        }
        let isRestored = copy.map { !$0.isFollowed(by: stored) } ?? false
        let isUnchangedSince = stored.map { earlier.contains($0.position) } ?? true
        if !isRestored { noteEnded(besides: stored?.content) }
        var content = stored?.content
        if isRestored {
            let unknown = (content?.names ?? []).subtracting(copy?.content?.names ?? [])
            content = isUnchangedSince ? copy?.content : content?.removing(unknown)
        }
        if let mine = copy?.content { content = content?.takingLaterTokens(of: mine) }
        content = content?.removing(Set(ended))
        let mustWrite = isRestored || content != stored?.content
        if !mustWrite, let stored { remember(stored) }
        return Meeting(content: content, mustWrite: mustWrite, isRestored: isRestored)
    }

    /// Takes a record that this device wrote into the store.
    mutating func noteWritten(_ written: Copy) {
        if copy.map({ written.position.isLater(than: $0.position) }) ?? true { noteEnded(besides: written.content) }
        remember(written)
    }

    /// Keeps new tokens before they are sent to the store.
    mutating func keepTokens(of content: Content) {
        let kept = copy?.content?.takingLaterTokens(of: content)
        copy?.content = kept
    }

    /// Replaces the copy by a record that follows it. One that another process saw or wrote before is only noted.
    private mutating func remember(_ record: Copy) {
        let isSame = copy?.position == record.position
        let isOld = copy.map { $0.position.isLater(than: record.position) } ?? false
        if let other = isOld ? record.position : copy?.position, !isSame {
            earlier = (earlier + [other]).suffix(Self.limits.positions)
        }
        if !isOld { copy = record }
    }

    private mutating func noteEnded(besides content: Content?) {
        let gone = (copy?.content?.names ?? []).subtracting(content?.names ?? []).subtracting(ended)
        ended = (ended + gone.sorted()).suffix(Self.limits.names)
    }
}

extension FleetState.Copy {
    /// Returns whether the store, which shows `stored`, can have this record in its past.
    fileprivate func isFollowed(by stored: FleetState.Copy?) -> Bool {
        guard let stored else { return false }
        return stored.position == position || stored.position.isLater(than: position)
    }
}

// MARK: While the store is away

/// A change while the store is away.
enum ChangeWhileAway: Hashable {
    /// Nothing changes.
    case none
    /// These sessions end.
    case signOut(Set<String>)
    /// The change needs the store.
    case refused
}

extension FleetState {
    /// Returns the kind of a change of the shown content to `content`. Only sign-outs are possible without the store.
    func changeWhileAway(to content: Content?) -> ChangeWhileAway {
        let (before, after) = (shown?.sessions ?? [:], content?.sessions ?? [:])
        if content == shown { return .none }
        let gone = Set(before.keys).subtracting(after.keys)
        let isSignOut = !gone.isEmpty && after.allSatisfy { before[$0.key] == $0.value }
        return isSignOut ? .signOut(gone) : .refused
    }

    /// Ends sessions while the store is away. ``meet(_:)`` carries it out when the store is back.
    mutating func signOut(_ names: Set<String>) {
        ended = (ended + names.subtracting(ended).sorted()).suffix(Self.limits.names)
    }
}

// MARK: The turn

/// The rule for the exchange of a session's tokens, of which the store knows the device that began it.
enum ExchangeRule {
    /// Returns whether a device that has the turn may exchange the tokens. An exchange that another device began and
    /// did not finish, because it crashed or was stopped, may have used them up; only that device can know the new
    /// ones.
    static func mayExchange<Device: Equatable>(begunBy other: Device?, _ device: Device) -> Bool {
        other == nil || other == device
    }

    /// Returns whether a change of the record ends an exchange: the sessions whose tokens are being exchanged are gone,
    /// or have later tokens.
    static func isOver<Content: FleetContent>(after content: Content?, before: Content?) -> Bool {
        let after = content?.sessions ?? [:]
        return !(before?.sessions ?? [:]).contains { after[$0.key] == $0.value }
    }
}
