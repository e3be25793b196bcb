import PassAuth
import SharedAuth

/// An app: who it is, and the token store of its team.
struct PassApp {
    static let mvpd = "ExampleCable"

    let identity: AppIdentity
    let store: PassTokenStore
    private let programmer: RequestorConfiguration

    /// An app of a team has the team's group, and is told by its vendor: all of its app id but the last component.
    init(
        _ name: String,
        appID: String,
        team: String,
        on machine: MachineID,
        in records: any RecordStore,
        _ options: PassTokenStore.Options
    ) throws {
        identity = try AppIdentity(appID: appID, teamID: team)
        store = PassTokenStore(
            appID: appID,
            group: try identity.accessGroup(named: "\(team).example.pass"),
            in: records,
            device: .vendor(of: identity, on: machine),
            options: options
        )
        programmer = RequestorConfiguration(id: "Programmer\(name)", providers: [ProviderIntegration(mvpd: Self.mvpd)])
    }

    /// What every app does at launch (`setRequestor`).
    func open() throws(PassStoreError) -> ConfigurationReport { try store.configure(programmer) }

    /// Signs in with the provider, once more.
    func signIn(with server: StandInServer) throws {
        let token = try server.token(for: programmer.id, from: Self.mvpd, to: store.device)
        try store.signIn(token, for: programmer)
    }
}
