@testable import SharedAuthFleet

/// A step of a history.
enum ModelAction: Hashable {
    /// The device loses the store, or finds it again.
    case away(Int)
    case back(Int)
    case signIn(Int)
    case signOut(Int)
    /// The device exchanges the tokens it shows. It may crash after the issuer answered, before the write.
    case refresh(Int)
    case crashInRefresh(Int)
    /// The administrator saves the store, and restores it later.
    case backup
    case restore
    /// For rules with expiring tombstones.
    case expiry
}

/// Some devices, one store, and an issuer that ends a session when old tokens are presented.
struct ModelWorld<Device: ModelDevice>: Hashable {
    struct Place: Hashable {
        var device = Device()
        var isAway = false
        /// The sessions that the device has shown and then shown no more.
        var gone: Set<String> = []
    }

    /// The result of an exchange of tokens that were no longer valid.
    enum Reuse: Hashable {
        /// Some device could have known that they were not.
        case avoidable
        /// A restored backup showed them to a device that had never seen later ones.
        case afterRestore
    }

    private(set) var places: [Place]
    private(set) var store = ModelStore()
    private var saved: ModelStore?
    private var wasRestored = false
    /// The generation of tokens that the issuer accepts, for each session that it has not ended.
    private var accepted: [String: Int] = [:]
    private var signIns = 0
    private(set) var signedOut: Set<String> = []
    /// The sessions that the store has had and then had no more, since the last restore.
    private var goneInStore: Set<String> = []
    private(set) var reuse: Set<Reuse> = []

    init(devices: Int) {
        places = Array(repeating: Place(), count: devices)
    }

    /// The steps that are possible now. Two sign-ins, one backup and one restore are enough for every known fault.
    func actions(restoring: Bool) -> [ModelAction] {
        var actions: [ModelAction] = []
        for (number, place) in places.enumerated() {
            actions.append(place.isAway ? .back(number) : .away(number))
            let maySignIn = signIns < 2 && (!place.isAway || Device.changesAway)
            if place.device.shown == nil {
                if maySignIn { actions.append(.signIn(number)) }
            } else {
                actions += [.signOut(number), .refresh(number)]
                if !place.isAway { actions.append(.crashInRefresh(number)) }
            }
        }
        if restoring, saved == nil, !wasRestored, store.copy != nil { actions.append(.backup) }
        if saved != nil { actions.append(.restore) }
        if Device.hasExpiringTombstones, !store.tombstones.isEmpty { actions.append(.expiry) }
        return actions
    }

    mutating func perform(_ action: ModelAction) {
        let (before, stored) = (places.map(\.device.shown), store.copy?.content?.names ?? [])
        defer {
            for (number, shown) in before.enumerated() {
                let names = shown?.names ?? []
                places[number].gone.formUnion(names.subtracting(places[number].device.shown?.names ?? []))
            }
            if action == .restore { goneInStore = [] } else { noteGone(stored) }
        }
        switch action {
        case .away(let number): places[number].isAway = true
        case .back(let number):
            places[number].isAway = false
            places[number].device.meet(&store)
        case .signIn(let number): signIn(number)
        case .signOut(let number): signOut(number)
        case .refresh(let number): refresh(number, crashing: false)
        case .crashInRefresh(let number): refresh(number, crashing: true)
        case .backup: saved = store
        case .restore:
            if let saved {
                let writes = store.writes
                store = saved
                store.writes = writes
            }
            (saved, wasRestored) = (nil, true)
        case .expiry: store.tombstones = []
        }
    }

    private mutating func noteGone(_ names: Set<String>) {
        goneInStore.formUnion(names.subtracting(store.copy?.content?.names ?? []))
    }

    private mutating func signIn(_ number: Int) {
        signIns += 1
        let session = "session \(signIns)"
        accepted[session] = 1
        write(ModelContent(sessions: [session: 1]), by: number)
    }

    private mutating func signOut(_ number: Int) {
        if !places[number].isAway { places[number].device.meet(&store) }
        signedOut.formUnion(places[number].device.shown?.names ?? [])
        if places[number].isAway {
            places[number].device.signOutAway()
        } else if places[number].device.shown != nil {
            places[number].device.put(nil, in: &store)
        }
    }

    private mutating func refresh(_ number: Int, crashing: Bool) {
        let isAway = places[number].isAway
        if isAway, !Device.changesAway { return }
        if !isAway {
            places[number].device.meet(&store)
            guard places[number].device.mayExchange(number, at: store) else { return }
            store.exchanging = number
        }
        guard let shown = places[number].device.shown, let session = shown.sessions.first else { return }
        guard accepted[session.key] == session.value else {
            if accepted[session.key] != nil { reuse.insert(wasRestored ? .afterRestore : .avoidable) }
            accepted[session.key] = nil
            return
        }
        accepted[session.key] = session.value + 1
        let renewed = ModelContent(sessions: [session.key: session.value + 1])
        if crashing { places[number].isAway = true }
        write(renewed, by: number)
    }

    private mutating func write(_ content: ModelContent, by number: Int) {
        places[number].device.keep(content)
        if !places[number].isAway { places[number].device.put(content, in: &store) }
    }

    /// The world with its devices in a fixed order: worlds that differ in the devices' numbers are the same.
    var sorted: ModelWorld {
        let order = places.indices.sorted { left, right in
            func rank(_ number: Int) -> Int {
                var hasher = Hasher()
                hasher.combine(places[number])
                hasher.combine(store.exchanging == number)
                hasher.combine(saved?.exchanging == number)
                return hasher.finalize()
            }
            return rank(left) < rank(right)
        }
        var world = self
        world.places = order.map { places[$0] }
        world.store.exchanging = store.exchanging.flatMap(order.firstIndex)
        world.saved?.exchanging = saved?.exchanging.flatMap(order.firstIndex)
        return world
    }

    /// The world after every device has come back to the store, twice.
    var settled: ModelWorld {
        var world = self
        for _ in 1...2 {
            for number in places.indices { world.perform(.back(number)) }
        }
        return world
    }

    /// Indicates whether a session is shown again that was signed out: now, by a device or the store that had it no
    /// more, or after all devices have come back.
    var hasUndoneSignOut: Bool {
        let settled = settled
        if !(store.copy?.content?.names ?? []).isDisjoint(with: goneInStore) { return true }
        if places.contains(where: { !($0.device.shown?.names ?? []).isDisjoint(with: $0.gone) }) { return true }
        return settled.places.contains { !($0.device.shown?.names ?? []).isDisjoint(with: signedOut) }
            || !(settled.store.copy?.content?.names ?? []).isDisjoint(with: signedOut)
    }
}

/// The result of performing every history up to a length.
struct ModelSearch {
    private(set) var states = 0
    private(set) var undoneSignOuts = 0
    private(set) var avoidableReuse = 0
    private(set) var reuseAfterRestore = 0
    /// The shortest history that ends in a fault.
    private(set) var example: [ModelAction]?

    var hasFault: Bool { undoneSignOuts + avoidableReuse > 0 }

    /// Performs every history of at most `depth` steps; histories that lead to the same state are continued once.
    init<Device: ModelDevice>(_ device: Device.Type, devices: Int, depth: Int, restoring: Bool = true) {
        var front: [ModelWorld<Device>: [ModelAction]] = [ModelWorld(devices: devices): []]
        var known: Set<ModelWorld<Device>> = Set(front.keys)
        for _ in 1...depth {
            var next: [ModelWorld<Device>: [ModelAction]] = [:]
            for (world, history) in front {
                for action in world.actions(restoring: restoring) {
                    var reached = world
                    reached.perform(action)
                    guard known.insert(reached.sorted).inserted else { continue }
                    if judge(reached, history + [action]) { next[reached] = history + [action] }
                }
            }
            front = next
        }
        states = known.count
    }

    /// Counts the faults of a state. Returns whether its histories are to be continued.
    private mutating func judge<Device>(_ world: ModelWorld<Device>, _ history: [ModelAction]) -> Bool {
        let isUndone = world.hasUndoneSignOut
        if isUndone { undoneSignOuts += 1 }
        if world.reuse.contains(.avoidable) { avoidableReuse += 1 }
        if world.reuse.contains(.afterRestore) { reuseAfterRestore += 1 }
        if isUndone || world.reuse.contains(.avoidable), example == nil { example = history }
        return !isUndone && world.reuse.isEmpty
    }
}
