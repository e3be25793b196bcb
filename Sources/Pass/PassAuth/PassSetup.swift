public import SharedAuth

/// The setup of an app that uses Pass: the app's identity, the version of Pass's SDK that it follows, and the store of
/// its tokens.
///
/// The app id, the team and the project are set here, once, and checked as `AuthApp` checks them. Token stores, device
/// ids and the user store are derived from them.
///
///     let setup = try PassSetup(appID: "com.example.tv.App", teamID: "TEAM1", project: "adobe.pass", in: store)
///     let tokens = try setup.tokens(inGroup: "TEAM1.example.pass")
///     let app = try AuthApp.configure(setup.authOptions(showing: requestor))
public struct PassSetup: Sendable {
    /// The app's identity.
    public let identity: AppIdentity
    /// The project. Setups of different projects share nothing: use one for Pass's production servers and one for
    /// staging.
    public let project: String
    /// The version of Pass's SDK that the app follows.
    public let preset: SDKPreset
    /// The options of its token stores, with the layout and mismatch policy of the preset and the setup's project.
    public let options: PassTokenStore.Options

    private let store: any RecordStore
    private let machineIDPaths: [String]

    /// Creates a setup; nothing is read yet.
    ///
    /// - Parameters:
    ///   - appID: The app's id, in reverse DNS form. Nil: derived as `AuthApp` derives it.
    ///   - teamID: The team id; with one, every access group starts with it or with `group.`.
    ///   - accessGroups: The access groups that the app declares; any other is refused. Empty: any well-formed group is
    ///     accepted.
    ///   - project: The project; the same rules as for the app id.
    ///   - preset: The version of Pass's SDK that the app follows.
    ///   - store: The store of the records.
    ///   - options: The options of token stores; their layout, mismatch policy and project are replaced by those of the
    ///     setup.
    ///   - machineIDPaths: The files that may hold the machine's id, in this order.
    /// - Throws: `AuthError` with code `invalidAppIdentifier` for a malformed app id, team id or project,
    ///   `invalidAccessGroup` for a malformed group, and `accessGroupNotDeclared` for a declared group of another team.
    public init(
        appID: String? = nil,
        teamID: String? = nil,
        accessGroups: [String] = [],
        project: String = "adobe.pass",
        like preset: SDKPreset = .sdk3,
        in store: any RecordStore,
        options: PassTokenStore.Options = .init(),
        machineIDPaths: [String] = MachineID.standardPaths
    ) throws(AuthError) {
        identity = try AppIdentity(
            appID: appID ?? AppIdentity.derivedAppID(),
            teamID: teamID,
            accessGroups: accessGroups
        )
        if let flaw = Identifier.flaw(in: project, leastComponents: 1) {
            throw AuthError(.invalidAppIdentifier, "The project \(project.quotedName) \(flaw).")
        }
        self.project = project
        self.preset = preset
        self.store = store
        self.machineIDPaths = machineIDPaths
        var options = options
        (options.generation, options.mismatchPolicy) = (preset.generation, preset.mismatchPolicy)
        options.project = project
        self.options = options
    }

    /// The random ids that identify devices of this project.
    public var deviceIDs: StoredDeviceIDs {
        StoredDeviceIDs(in: store, project: project, timeout: options.timeout)
    }

    /// The app's registrations at Pass's servers.
    public var clients: StoredClients {
        StoredClients(appID: identity.appID, in: store, project: project, timeout: options.timeout)
    }

    /// Returns the machine that the app runs on; a machine without an id has a random one in the store.
    ///
    /// May write: the random id is created on first use.
    /// - Throws: ``PassStoreError`` if the id is in the store and the store could not be read or written.
    public func machine() throws(PassStoreError) -> MachineID {
        if let found = MachineID.find(in: machineIDPaths) { return found }
        return MachineID(standIn: try deviceIDs.machineStandIn())
    }

    /// Returns the device that the app's tokens are bound to, as the preset determines. For
    /// ``DeviceIdentity/Kind/custom`` it is the app's own id.
    ///
    /// May write: an id that is kept in the store is created on first use.
    /// - Throws: ``PassStoreError`` if the id is in the store and the store could not be read or written.
    public func device() throws(PassStoreError) -> DeviceIdentity {
        switch preset.device {
        case .vendor: .vendor(of: identity, on: try machine())
        case .machine: .machine(try machine())
        case .advertising: .advertising(try deviceIDs.advertisingID())
        case .custom: DeviceIdentity(.custom, identity.appID)
        }
    }

    /// Returns the tokens of an access group, or with nil the app's private ones.
    ///
    /// - Throws: ``PassStoreError`` with code `groupRefused` for a group that the app may not use, because it belongs
    ///   to another team or is not declared; and the errors of ``device()``.
    public func tokens(in group: AccessGroup?) throws(PassStoreError) -> PassTokenStore {
        try tokens(inGroup: group?.name)
    }

    /// Returns the tokens of the access group of this name, or with nil the app's private ones.
    ///
    /// - Throws: ``PassStoreError`` with code `groupRefused` for a malformed name, or for a group that the app may not
    ///   use, because it belongs to another team or is not declared; and the errors of ``device()``.
    public func tokens(inGroup name: String?) throws(PassStoreError) -> PassTokenStore {
        PassTokenStore(
            appID: identity.appID,
            group: try group(named: name),
            in: store,
            device: try device(),
            options: options
        )
    }

    /// Returns a programmer's sessions as users, for `AuthApp.Options.store` as `.custom`.
    ///
    /// - Throws: The errors of ``device()``.
    public func users(of requestor: RequestorConfiguration) throws(PassStoreError) -> PassUserStore {
        PassUserStore(of: requestor, appID: identity.appID, in: store, device: try device(), options: options)
    }

    /// Returns the options of an `AuthApp` that shows a programmer's sessions as users: the same app, team, groups and
    /// project.
    ///
    /// - Throws: The errors of ``device()``.
    public func authOptions(showing requestor: RequestorConfiguration) throws(PassStoreError) -> AuthApp.Options {
        AuthApp.Options(
            appID: identity.appID,
            teamID: identity.teamID,
            accessGroups: identity.accessGroups.map(\.name),
            project: project,
            store: .custom(try users(of: requestor)),
            timeout: options.timeout
        )
    }

    private func group(named name: String?) throws(PassStoreError) -> AccessGroup? {
        guard let name else { return nil }
        do {
            return try identity.accessGroup(named: name)
        } catch {
            throw PassStoreError(.groupRefused, error.message, underlying: error)
        }
    }
}
