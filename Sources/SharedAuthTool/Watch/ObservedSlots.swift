internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth

/// The app's own slot, the groups that it declares, and the one in use: observed without switching to any of them.
final class ObservedSlots: Sendable {
    /// The groups; nil is the app's own slot, and the first.
    let groups: [String?]
    private let app: AppInspection
    private let timeout: Duration
    private let isKeyring: Bool
    private let observation: ChangeObservation
    private let session: SessionEnd
    /// One queue for all slots: reports come in order, and the first ones in the order of the slots.
    private let queue = DispatchQueue(label: "sharedauth.watch")
    private let hasSaidWait = Once()

    /// Finds out which slots there are. The process ends with 69 when the session does; with `needsReader`, also with 0 when
    /// the reader of standard output has gone.
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

    /// Publishes what each slot holds, and each change, for as long as the answer is kept.
    func watch(_ publish: @escaping @Sendable (Announcement) -> Void) throws -> [SlotWatch] {
        // Once each slot was read, or the process has ended because none can be.
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

    /// Says why a slot cannot be read. A failure that only a person can fix ends the process; a damaged record affects no other
    /// slot.
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
