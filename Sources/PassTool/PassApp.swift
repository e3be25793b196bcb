internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// The app that it is about, and the way to its tokens and ids.
struct PassApp {
    let identity: AppIdentity
    /// Nil for the app's private store.
    let group: AccessGroup?
    private let setup: PassSetup
    private let options: PassOptions
    private let store: any RecordStore

    init(_ options: PassOptions) throws {
        let store = try options.app.recordStore()
        // The library checks names, and knows what the app's id is when none is given.
        setup = try PassSetup(
            appID: options.app.appID,
            teamID: options.app.teamID,
            accessGroups: options.app.accessGroups,
            project: options.project,
            like: options.preset,
            in: store,
            machineIDPaths: options.machineIDFile.map { [$0] } ?? MachineID.standardPaths
        )
        identity = setup.identity
        let identity = identity
        let named = try options.group.map { name throws(AuthError) in try identity.accessGroup(named: name) }
        group = options.layout.generation.isPrivate ? nil : named
        self.options = options
        self.store = store
    }

    /// Returns the device that the app's tokens are bound to. May write: an id that is kept in the store is made when
    /// it is first asked for.
    func device() throws(PassStoreError) -> Device {
        switch options.device {
        case .advertising: Device(identity: try setup.device(), machine: nil)
        case .vendor, .machine: Device(identity: try setup.device(), machine: try setup.machine())
        }
    }

    /// The store, in the layout that was asked for or in another one.
    func tokens(in generation: StorageGeneration? = nil) throws(PassStoreError) -> PassTokenStore {
        guard let generation else { return try setup.tokens(in: group) }
        return PassTokenStore(
            appID: identity.appID,
            group: group,
            in: store,
            device: try setup.device(),
            options: .init(generation: generation, project: options.project)
        )
    }

    /// The app's registrations at Pass's servers.
    var clients: StoredClients { setup.clients }

    /// Returns the status of the store; nil without an answer.
    func storeStatus() -> RecordStoreStatus? {
        try? store.status(by: .after(.seconds(5)))
    }
}

/// The device that tokens are bound to, and the machine that it was derived from, if it was.
struct Device {
    let identity: DeviceIdentity
    let machine: MachineID?
}

extension Table {
    /// Begins with whose tokens it is about.
    init(of app: PassApp) {
        self.init()
        add("appID", .string(app.identity.appID), row: "app id", text: app.identity.appID)
        add(
            "accessGroup",
            JSONValue(app.group?.name),
            row: "access group",
            text: app.group?.name ?? "none (private store)"
        )
    }

    /// Adds a text, or a word for there being none.
    mutating func add(_ member: String, _ name: String, _ value: String?, otherwise absence: String = "none") {
        add(member, JSONValue(value), row: name, text: value?.printable ?? absence)
    }

    /// Adds a number, or its being unknown.
    mutating func add(_ member: String, _ name: String, _ value: Int?) {
        add(member, value.map { .number(Double($0)) } ?? .null, row: name, text: value.map(String.init) ?? "unknown")
    }

    /// Adds a truth value, or its being unknown.
    mutating func add(_ member: String, _ name: String, _ value: Bool?) {
        add(member, value.map(JSONValue.bool) ?? .null, row: name, text: value.map { $0 ? "yes" : "no" } ?? "unknown")
    }
}
