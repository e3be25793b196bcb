internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// The app that a command works on, with access to its tokens and ids.
struct PassApp {
    let identity: AppIdentity
    /// Nil for the app's private store.
    let group: AccessGroup?
    private let setup: PassSetup
    private let options: PassOptions
    private let store: any RecordStore

    init(_ options: PassOptions) throws {
        let store = try options.app.recordStore()
        // The library checks names, and finds the app's id if none is given.
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

    /// Returns the device that the app's tokens are bound to. May write to the store, because an id that is stored
    /// there is created on first use.
    func device() throws(PassStoreError) -> Device {
        switch options.device {
        case .advertising: Device(identity: try setup.device(), machine: nil)
        case .vendor, .machine: Device(identity: try setup.device(), machine: try setup.machine())
        }
    }

    /// Returns the token store in a layout; by default, in the layout of the options.
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

    /// Returns the status of the store, or nil if the store does not respond within 5 seconds.
    func storeStatus() -> RecordStoreStatus? {
        try? store.status(by: .after(.seconds(5)))
    }
}

/// The device that tokens are bound to, and the machine id if the device's id is derived from it.
struct Device {
    let identity: DeviceIdentity
    let machine: MachineID?
}

extension Table {
    /// Creates a table that begins with the app id and the access group.
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

    /// Adds a text, or `absence` for nil.
    mutating func add(_ member: String, _ name: String, _ value: String?, otherwise absence: String = "none") {
        add(member, JSONValue(value), row: name, text: value?.printable ?? absence)
    }

    /// Adds a number, or "unknown" for nil.
    mutating func add(_ member: String, _ name: String, _ value: Int?) {
        add(member, value.map { .number(Double($0)) } ?? .null, row: name, text: value.map(String.init) ?? "unknown")
    }

    /// Adds "yes" or "no", or "unknown" for nil.
    mutating func add(_ member: String, _ name: String, _ value: Bool?) {
        add(member, value.map(JSONValue.bool) ?? .null, row: name, text: value.map { $0 ? "yes" : "no" } ?? "unknown")
    }
}
