internal import PassAuth
internal import SecretService
internal import SharedAuth
internal import ToolConventions

/// The app that it is about, and the way to its tokens and ids.
struct PassApp {
    let identity: AppIdentity
    /// Nil for the app's private store.
    let group: AccessGroup?
    private let options: AppOptions
    private let store: any RecordStore

    init(_ options: AppOptions) throws {
        // The library checks names, and knows what the app's id is when none is given. It has no user to look for here.
        let app = try AuthApp.configure(
            name: "pass",
            AuthApp.Options(
                appID: options.identity.appID,
                teamID: options.identity.teamID,
                accessGroups: options.identity.accessGroups,
                project: options.project,
                store: .inMemory(),
                hearsPeers: false
            )
        )
        identity = app.identity
        let named = try options.group.map { name throws(AuthError) in try app.identity.accessGroup(named: name) }
        group = options.layout.generation.isPrivate ? nil : named
        self.options = options
        store = try options.store.recordStore()
    }

    /// What the app's tokens are bound to. May write: an id that is kept in the store is made when it is first asked for.
    func device() throws(PassStoreError) -> Device {
        let ids = StoredDeviceIDs(in: store, project: options.project)
        if options.device == .advertising {
            return Device(identity: .advertising(try ids.advertisingID()), machine: nil)
        }
        let machine: MachineID
        if let found = MachineID.find(in: options.machineIDFile.map { [$0] } ?? MachineID.standardPaths) {
            machine = found
        } else {
            machine = MachineID(standIn: try ids.machineStandIn())
        }
        return Device(
            identity: options.device == .machine ? .machine(machine) : .vendor(of: identity, on: machine),
            machine: machine
        )
    }

    /// The store, in the layout that was asked for or in another one.
    func tokens(in generation: StorageGeneration? = nil) throws(PassStoreError) -> PassTokenStore {
        PassTokenStore(
            appID: identity.appID,
            group: group,
            in: store,
            device: try device().identity,
            options: .init(generation: generation ?? options.layout.generation, project: options.project)
        )
    }

    /// Who keeps the secrets; nil when nobody answers.
    func storeStatus() -> RecordStoreStatus? {
        try? store.status(within: .after(.seconds(5)))
    }
}
