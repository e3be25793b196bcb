public import SharedAuth

/// Keeps the authentication tokens of one place, an access group or an app alone, with what is cached for them.
///
/// Every app of a team that has the same group has the same tokens: a programmer of one app signs in, and those of the
/// others are signed in too, as far as their TV providers share tokens. A log-out in one of them logs all of them out.
///
/// A sign-in and a log-out each become real in one write of an index record, so no process ever sees half of one.
/// Reading a session costs two reads. Calls block, may be made from any thread, and end within ``Options/timeout``;
/// none of them asks the person to unlock anything. A locked or damaged store is an error, never "no token".
public struct PassTokenStore: Sendable {
    /// The app whose store this is.
    public let appID: String
    /// The group whose apps share the store; nil when the app keeps it to itself.
    public let group: AccessGroup?
    /// The device that tokens have to be issued to.
    public let device: DeviceIdentity
    /// The options of the store.
    public let options: Options

    let store: any RecordStore
    let records: PassRecords
    /// By the sign-ins of which clients the app is signed in: asked at each look, as an app that registers again is
    /// another client.
    private(set) var profileClients: @Sendable () -> ProfileClients = { .any }

    /// Makes a store of its parts, which are taken as they are; nothing is read yet.
    ///
    /// ``PassSetup`` makes one of an app that is checked: its id, its project, and whether the group is its team's.
    ///
    /// - Parameters:
    ///   - appID: The app's id, in reverse DNS form.
    ///   - group: The access group, in Adobe's words the team's; nil for the app's private store. A private generation
    ///     makes no difference between the two.
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

    /// The store in which the single-slot layout has the tokens of TV providers that want one for each programmer: a
    /// file of the app's own; nil in other layouts, which have all in one place.
    var perRequestorStore: PassTokenStore? {
        options.generation == .singleSlot ? earlier(.perProgrammer) : nil
    }

    /// All that this layout consists of, the app's own file first.
    var layouts: [PassTokenStore] { [perRequestorStore, self].compactMap { $0 } }

    /// The part of the layout that a session is in.
    func part(with session: PassSession) -> PassTokenStore {
        session.generation == options.generation ? self : earlier(session.generation)
    }

    /// The same app's store in an earlier layout.
    func earlier(_ generation: StorageGeneration) -> PassTokenStore {
        var options = options
        options.generation = generation
        return PassTokenStore(appID: appID, group: group, in: store, device: device, options: options)
            .counting(profileClients)
    }

    /// The same store, in which the sign-ins of these clients alone count. Those of others stay as they are, and so do
    /// these, whatever other apps do but log out: each app has a bucket and a choice of its own.
    func counting(_ clients: @escaping @Sendable () -> ProfileClients) -> PassTokenStore {
        var store = self
        store.profileClients = clients
        return store
    }

    /// The app that looks at the index.
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
