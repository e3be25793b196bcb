import SharedAuthRecords

@testable import SharedAuthFleet

/// The content of the model's record: sessions, and the generation of the tokens that the content has for each.
struct ModelContent: FleetContent {
    var sessions: [String: Int]

    func removing(_ names: Set<String>) -> ModelContent? {
        let rest = sessions.filter { !names.contains($0.key) }
        return rest.isEmpty ? nil : ModelContent(sessions: rest)
    }

    func takingLaterTokens(of other: ModelContent) -> ModelContent {
        ModelContent(sessions: sessions.reduce(into: [:]) { $0[$1.key] = max($1.value, other.sessions[$1.key] ?? 0) })
    }
}

/// The model's store. Rules differ in the parts that they use.
struct ModelStore: Hashable {
    var copy: FleetState<ModelContent>.Copy?
    /// The number of all writes; a restored backup does not set it back, as it stands for random nonces.
    var writes: UInt64 = 0
    /// The device that began an exchange and did not finish it.
    var exchanging: Int?
    /// For rules with tombstones: the sessions that are known to have ended.
    var tombstones: Set<String> = []

    var counter: UInt64 { copy?.position.revision.counter ?? 0 }

    mutating func write(_ content: ModelContent?, counter: UInt64) -> FleetState<ModelContent>.Copy {
        writes += 1
        let position = Position(epoch: 1, revision: Revision(counter: counter, nonce: writes))
        let written = FleetState.Copy(position: position, content: content)
        copy = written
        return written
    }
}

/// A device of the model, which acts by some rules.
protocol ModelDevice: Hashable, Sendable {
    /// Indicates whether the rules allow sign-ins and exchanges without the store.
    static var changesAway: Bool { get }
    /// Indicates whether the rules have tombstones that expire.
    static var hasExpiringTombstones: Bool { get }

    init()
    /// The sessions that the device shows.
    var shown: ModelContent? { get }
    /// Comes to the store, and brings both to one state.
    mutating func meet(_ store: inout ModelStore)
    /// Writes a content while it is with the store, after it met it.
    mutating func put(_ content: ModelContent?, in store: inout ModelStore)
    /// Keeps new tokens, of which the store does not know yet.
    mutating func keep(_ content: ModelContent)
    /// Ends all sessions while the store is away.
    mutating func signOutAway()
    /// Returns whether the device may exchange tokens in the turn.
    func mayExchange(_ device: Int, at store: ModelStore) -> Bool
}

extension ModelDevice {
    static var changesAway: Bool { false }
    static var hasExpiringTombstones: Bool { false }
    func mayExchange(_ device: Int, at store: ModelStore) -> Bool { true }
}

/// The rules of the library.
struct RuledDevice: ModelDevice {
    private var state = FleetState<ModelContent>()

    var shown: ModelContent? { state.shown }

    mutating func meet(_ store: inout ModelStore) {
        let meeting = state.meet(store.copy, epoch: 1)
        if meeting.mustWrite { put(meeting.content, in: &store) }
    }

    mutating func put(_ content: ModelContent?, in store: inout ModelStore) {
        if ExchangeRule.isOver(after: content, before: store.copy?.content) { store.exchanging = nil }
        let position = Position.next(in: 1, after: store.copy?.position, state.copy?.position, nonce: 0)
        state.noteWritten(store.write(content, counter: position.revision.counter))
    }

    mutating func keep(_ content: ModelContent) { state.keepTokens(of: content) }

    mutating func signOutAway() {
        if case .signOut(let names) = state.changeWhileAway(to: nil) { state.signOut(names) }
    }

    func mayExchange(_ device: Int, at store: ModelStore) -> Bool {
        ExchangeRule.mayExchange(begunBy: store.exchanging, device)
    }
}

/// The rules of the library, but an exchange that another device began is not respected.
struct HastyDevice: ModelDevice {
    private var device = RuledDevice()

    var shown: ModelContent? { device.shown }
    mutating func meet(_ store: inout ModelStore) { device.meet(&store) }
    mutating func put(_ content: ModelContent?, in store: inout ModelStore) { device.put(content, in: &store) }
    mutating func keep(_ content: ModelContent) { device.keep(content) }
    mutating func signOutAway() { device.signOutAway() }
}

/// The store is the truth, and a device remembers nothing but its copy: a restored backup is not noticed.
struct ForgetfulDevice: ModelDevice {
    private var content: ModelContent?

    var shown: ModelContent? { content }
    mutating func meet(_ store: inout ModelStore) { content = store.copy?.content }
    mutating func put(_ content: ModelContent?, in store: inout ModelStore) {
        self.content = store.write(content, counter: store.counter + 1).content
        store.exchanging = nil
    }
    mutating func keep(_ content: ModelContent) {}
    mutating func signOutAway() {}
}

/// Which of two contents wins under a rule by which each device's own copy is a truth.
protocol LocalTruth {
    static var deletesWithoutTrace: Bool { get }
    static var hasTombstones: Bool { get }
    static var tombstonesExpire: Bool { get }
}

/// The higher counter wins; a sign-out deletes the record.
enum HigherCounter: LocalTruth {
    static let (deletesWithoutTrace, hasTombstones, tombstonesExpire) = (true, false, false)
}

/// The higher counter wins; a sign-out leaves a tombstone that has a counter.
enum CountedTombstone: LocalTruth {
    static let (deletesWithoutTrace, hasTombstones, tombstonesExpire) = (false, false, false)
}

/// The higher counter wins; a sign-out leaves a tombstone for the session, until it expires.
enum ExpiringTombstone: LocalTruth {
    static let (deletesWithoutTrace, hasTombstones, tombstonesExpire) = (false, true, true)
}

/// A device whose own copy is a truth, which it changes without the store and merges later.
struct LocalDevice<Rule: LocalTruth>: ModelDevice {
    private var content: ModelContent?
    private var counter: UInt64 = 0
    private var ended: Set<String> = []

    static var changesAway: Bool { true }
    static var hasExpiringTombstones: Bool { Rule.tombstonesExpire }

    var shown: ModelContent? { content }

    mutating func meet(_ store: inout ModelStore) {
        if Rule.hasTombstones {
            // The tombstones are the store's; a device brings those it made while the store was away.
            store.tombstones.formUnion(ended)
            ended = []
            content = content?.removing(store.tombstones)
            let rest = store.copy?.content?.removing(store.tombstones)
            store.copy?.content = rest
        }
        if store.counter >= counter {
            guard store.copy != nil || !Rule.deletesWithoutTrace else { return }
            (content, counter) = (store.copy?.content, store.counter)
        } else if content != nil || !Rule.deletesWithoutTrace {
            _ = store.write(content, counter: counter)
        }
    }

    mutating func put(_ content: ModelContent?, in store: inout ModelStore) {
        change(to: content)
        if content == nil, Rule.deletesWithoutTrace {
            store.copy = nil
        } else {
            meet(&store)
        }
    }

    mutating func keep(_ content: ModelContent) { change(to: content) }

    mutating func signOutAway() { change(to: nil) }

    private mutating func change(to new: ModelContent?) {
        if Rule.hasTombstones { ended.formUnion((content?.names ?? []).subtracting(new?.names ?? [])) }
        content = new
        counter = new == nil && Rule.deletesWithoutTrace ? 0 : counter + 1
    }
}
