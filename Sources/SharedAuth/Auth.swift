internal import Dispatch
internal import SecretService
internal import Synchronization

/// Signs users in and out, and keeps one signed-in user in step with every app of an access group (Firebase: `Auth`).
///
/// Thread-safe. Synchronous calls block until the keyring answers or `Options.deadline` passes, and never ask the person
/// to unlock anything. The first read of `currentUser` waits for the first load; later ones cost a lock.
public final class Auth: Sendable {
    let options: AuthApp.Options
    let identity: AppIdentity
    let slots: UserSlots
    let choiceFile: GroupChoiceFile
    let providerNotes: ProviderNotes
    let provider: LazyIdentityProvider?
    let announcer: Announcer
    let refreshes = RefreshCoalescer()
    let feed: PeerFeed?
    let automaticRefresh: AutomaticRefresh?
    /// What is known of the current user. Held for moments only, never across a call of the store.
    let memory = Mutex(Memory())
    /// Runs the blocking parts of async calls, in order.
    let queue = DispatchQueue(label: "SharedAuth.Auth")
    /// Why nothing works, when not even the app id is well-formed.
    let misconfiguration: AuthError?

    private let operations = NamedTurns()
    private let owner = Mutex(Owner())

    private struct Owner {
        weak var app: AuthApp?
    }

    init(name: String, options: AuthApp.Options, identity: AppIdentity, misconfiguration: AuthError? = nil) {
        self.options = options
        self.identity = identity
        self.misconfiguration = misconfiguration
        let store = options.store.make()
        slots = UserSlots(store: store, appID: identity.appID, project: options.project, instance: name)
        choiceFile = GroupChoiceFile(
            directory: options.stateDirectory ?? GroupChoiceFile.defaultDirectory,
            appID: identity.appID,
            project: options.project,
            instance: name
        )
        providerNotes = ProviderNotes(beside: choiceFile)
        provider = options.identityProvider.map { source in
            let context = IdentityProviderSource.Context(
                store: store,
                project: options.project,
                deadline: options.deadline,
                now: options.now
            )
            return LazyIdentityProvider { source.make(context) }
        }
        announcer = Announcer(executor: options.listenerExecutor)
        automaticRefresh =
            options.refreshesTokens
            ? AutomaticRefresh(schedule: options.schedule ?? AutomaticRefresh.schedule(on: queue), now: options.now)
            : nil
        feed = options.hearsPeers ? PeerFeed(slots: slots, deadline: options.deadline) : nil
    }

    /// The app; nil when it is gone.
    public var app: AuthApp? { owner.withLock { $0.app } }

    func attach(_ app: AuthApp) {
        owner.withLock { $0.app = app }
    }

    /// Begins an operation on the state, once every other has ended and the first load has been tried.
    ///
    /// - Throws: `timedOut` when another operation does not end within the deadline.
    func begin() throws(AuthError) -> Operation {
        if let misconfiguration { throw misconfiguration }
        let deadline = callDeadline
        let turn: NamedTurn
        do {
            turn = try operations.take("operation", within: deadline)
        } catch {
            throw AuthError(
                .timedOut,
                "Another call on this Auth of \(identity.appID) did not end in time; nothing was changed.",
                underlying: error
            )
        }
        learnProvider(within: deadline)
        let operation = Operation(of: self, turn: turn, deadline: deadline)
        if memory.withLock({ $0.isLoading }) {
            load(within: deadline)
        } else if let feed, feed.isDeaf, let slot = try? currentSlot() {
            // The bus was lost; if it is back, so is the watch.
            follow(slot, with: feed)
        }
        return operation
    }

    /// Runs the blocking part of an async call off the caller's thread.
    func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await queue.perform(work)
    }
}
