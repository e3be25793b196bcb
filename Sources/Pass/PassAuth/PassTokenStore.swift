public import SharedAuth

/// The store of the authentication tokens of one access group, or of one app, with the data cached for them.
///
/// All apps of a team that use the same group have the same tokens: when the user signs in to the programmer of one
/// app, the programmers of the others are signed in too, if their TV providers share tokens. A log-out in one app logs
/// out all of them.
///
/// A sign-in and a log-out each take effect in one write of an index record, so no process ever sees half of one.
/// Reading a session costs two reads. Calls block, may be made from any thread, and end within ``Options/timeout``;
/// none of them prompts the user to unlock the keyring. A locked or damaged store is an error, never "no token".
public struct PassTokenStore: Sendable {
    /// The id of the app.
    public let appID: String
    /// The group whose apps share the store; nil if the store is private to the app.
    public let group: AccessGroup?
    /// The device that tokens must be issued to.
    public let device: DeviceIdentity
    /// The options of the store.
    public let options: Options

    let store: any RecordStore
    let records: PassRecords
    /// Returns the clients whose sign-ins count for this app. Called at each access, because an app that registers
    /// again becomes another client.
    private(set) var profileClients: @Sendable () -> ProfileClients = { .any }

    /// Creates a store from its parts, which are not checked; nothing is read yet.
    ///
    /// Use ``PassSetup`` to create the store of an app whose id, project and access group are checked.
    ///
    /// - Parameters:
    ///   - appID: The app's id, in reverse DNS form.
    ///   - group: The access group, in Adobe's terms the team's; nil for the app's private store. A private generation
    ///     ignores it.
    ///   - store: The store of the records.
    ///   - device: The device that this app's tokens are bound to.
    ///   - options: The options of the store.
    public init(
        appID: String,
        group: AccessGroup?,
        in store: any RecordStore,
        device: DeviceIdentity,
        options: Options = Options()
    ) {
        self.appID = appID
        self.group = options.generation.isPrivate ? nil : group
        self.device = device
        self.options = options
        self.store = store
        records = PassRecords(
            store: store,
            scope: self.group.map { .group($0.name) } ?? .app(appID),
            project: options.project,
            prefix: options.generation.kind,
            schema: options.generation.schema,
            now: options.now
        )
    }

    var deadline: Deadline { .after(options.timeout) }

    /// The store in which the single-slot layout keeps the tokens of TV providers that require one for each programmer:
    /// a file private to the app. Nil in other layouts, which keep all tokens in one store.
    var perRequestorStore: PassTokenStore? {
        options.generation == .singleSlot ? earlier(.perProgrammer) : nil
    }

    /// All stores of this layout, the app's private file first.
    var layouts: [PassTokenStore] { [perRequestorStore, self].compactMap { $0 } }

    /// Returns the store of this layout that holds a session.
    func part(with session: PassSession) -> PassTokenStore {
        session.generation == options.generation ? self : earlier(session.generation)
    }

    /// Returns the same app's store in an earlier layout.
    func earlier(_ generation: StorageGeneration) -> PassTokenStore {
        var options = options
        options.generation = generation
        return PassTokenStore(appID: appID, group: group, in: store, device: device, options: options)
            .counting(profileClients)
    }

    /// Returns the same store, limited to the sign-ins of these clients. The sign-ins of other clients are left
    /// unchanged. Each app then has its own bucket and selection, so other apps affect these sign-ins only by a
    /// log-out.
    func counting(_ clients: @escaping @Sendable () -> ProfileClients) -> PassTokenStore {
        var store = self
        store.profileClients = clients
        return store
    }

    /// The reader of the index: the app with its device, policy and clients.
    var viewer: StoreIndex.Viewer {
        let (clients, ownChoice) = (profileClients(), "\(device.fingerprint) \(appID)")
        return StoreIndex.Viewer(
            device: device.fingerprint,
            policy: options.mismatchPolicy,
            clients: clients,
            choosers: [ownChoice, device.fingerprint],
            chooser: clients == .any ? device.fingerprint : ownChoice
        )
    }
}
