internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth

/// The app's own slot, its declared groups and the group in use, observed without switching to any of them.
final class ObservedSlots: Sendable {
    /// The groups. The first is nil, the app's own slot.
    let groups: [String?]
    private let app: AppInspection
    private let timeout: Duration
    private let isKeyring: Bool
    private let observation: ChangeObservation
    private let session: SessionEnd
    /// One queue for all slots: reports arrive in order, and the first ones in the order of the slots.
    private let queue = DispatchQueue(label: "sharedauth.watch")
    private let hasSaidWait = Once()

    /// Determines the slots. The process exits with 69 when the session ends. With `needsReader`, it also exits with 0
    /// when the reader closes standard output.
    init(_ app: AppOptions, needsReader: Bool) throws {
        let store = try app.recordStore()
        let configuration = try app.configuration(on: store)
        let identity = try AppIdentity(
            appID: configuration.appID ?? AppIdentity.derivedAppID(),
            teamID: configuration.teamID,
            accessGroups: configuration.accessGroups
        )
        isKeyring = store.kind == .secretService
        timeout = configuration.timeout
        self.app = try AppInspection(identity, configuration, store: store)
        var groups: [String?] = [nil]
        let groupInUse = try self.app.userAccessGroup()
        for group in identity.accessGroups.map(\.name) + [groupInUse] where !groups.contains(group) {
            groups.append(group)
        }
        self.groups = groups
        session = SessionEnd(of: store, needsReader: needsReader)
        observation = ChangeObservation(store, timeout: timeout)
    }

    /// Publishes the state of each slot, and each change, until the returned watches are released.
    func watch(_ publish: @escaping @Sendable (Announcement) -> Void) throws -> [SlotWatch] {
        // Runs after each slot was read, or not at all if an unreadable slot has ended the process.
        defer { queue.async { [self] in observation.begin(until: session) } }
        return try groups.map { group in
            try app.watch(accessGroup: group, timeout: timeout, on: queue) { [self] report in
                switch report {
                case .authState(let user): publish(Announcement(.authState, user, in: group))
                case .idToken(let user): publish(Announcement(.idToken, user, in: group))
                case .unreadable(let state):
                    publish(Announcement(.authState, nil, in: group, state: state))
                    complain(of: state, in: group)
                }
            }
        }
    }

    /// Reports the reason a slot cannot be read. Ends the process for a failure that only the user can fix, except a
    /// damaged record, which affects no other slot.
    private func complain(of state: AuthState, in group: String?) {
        switch state.obstacle(in: group, isKeyring: isKeyring) {
        case nil: break
        case .temporary(let reason): if !hasSaidWait.raise() { Obstacle.say(reason) }
        case .lasting(let error):
            let error = ToolError(error, remedy: error.toolRemedy)
            guard case .damaged = state else { error.end() }
            StandardError.write(error)
        }
    }
}
