public import SharedAuth

/// An app that uses Pass: who it is, which version of Pass's SDK it works like, and where its tokens are kept.
///
/// The app id, the team and the project are given here, once, and checked as `AuthApp` checks them; token stores,
/// device ids and the view of sessions as users follow from them.
///
///     let setup = try PassSetup(appID: "com.example.tv.App", teamID: "TEAM1", project: "adobe.pass", in: store)
///     let tokens = try setup.tokens(inGroup: "TEAM1.example.pass")
///     let app = try AuthApp.configure(setup.authOptions(showing: requestor))
public struct PassSetup: Sendable {
    /// The app's identity.
    public let identity: AppIdentity
    /// Setups of different projects share nothing: one for Pass's production servers, one for staging.
    public let project: String
    /// The SDK that the app works like.
    public let preset: SDKPreset
    /// The options of its token stores, as far as the preset leaves them open.
    public let options: PassTokenStore.Options

    private let store: any RecordStore
    private let machineIDPaths: [String]

    /// Makes a setup; nothing is read yet.
    ///
    /// - Parameters:
    ///   - appID: The app's id, in reverse DNS form. Nil: as `AuthApp` derives it.
    ///   - teamID: The team id; with one, every access group starts with it or with `group.`.
    ///   - accessGroups: The access groups that the app declares; any other is refused. Empty: any well-formed one is
    ///     accepted.
    ///   - project: The project; the same rules as for the app id.
    ///   - preset: The version of Pass's SDK that the app works like.
    ///   - store: The store of the records.
    ///   - options: The options of token stores; layout, mismatch policy and project are the setup's own, whatever
    ///     these say.
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

    /// The machine that the app runs on; one without an id has a random one in the store.
    ///
    /// - Throws: what kept the store from being read, where it had to be.
    public func machine() throws(PassStoreError) -> MachineID {
        if let found = MachineID.find(in: machineIDPaths) { return found }
        return MachineID(standIn: try deviceIDs.machineStandIn())
    }

    /// Returns the device that the app's tokens are bound to, as the preset says. For ``DeviceIdentity/Kind/custom`` it
    /// is the app's own id.
    ///
    /// May write: an id that is kept in the store is made when it is first asked for.
    /// - Throws: what kept the store from being read or written, where it had to be.
    public func device() throws(PassStoreError) -> DeviceIdentity {
        switch preset.device {
        case .vendor: .vendor(of: identity, on: try machine())
        case .machine: .machine(try machine())
        case .advertising: .advertising(try deviceIDs.advertisingID())
        case .custom: DeviceIdentity(.custom, identity.appID)
        }
    }

    /// The tokens of an access group, or with nil the app's private ones.
    ///
    /// - Throws: `groupRefused` for a group that the app may not use, of another team or not declared; or as
    ///   ``device()``.
    public func tokens(in group: AccessGroup?) throws(PassStoreError) -> PassTokenStore {
        try tokens(inGroup: group?.name)
    }

    /// The tokens of the access group of this name, or with nil the app's private ones.
    ///
    /// - Throws: `groupRefused` for a malformed name, or a group that the app may not use, of another team or not
    ///   declared; or as ``device()``.
    public func tokens(inGroup name: String?) throws(PassStoreError) -> PassTokenStore {
        PassTokenStore(
            appID: identity.appID,
            group: try group(named: name),
            in: store,
            device: try device(),
            options: options
        )
    }

    /// A programmer's sessions as users, for `AuthApp.Options.store` as `.custom`.
    ///
    /// - Throws: as ``device()``.
    public func users(of requestor: RequestorConfiguration) throws(PassStoreError) -> PassUserStore {
        PassUserStore(of: requestor, appID: identity.appID, in: store, device: try device(), options: options)
    }

    /// The options of an `AuthApp` that shows a programmer's sessions as users: the same app, team, groups and project.
    ///
    /// - Throws: as ``device()``.
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
