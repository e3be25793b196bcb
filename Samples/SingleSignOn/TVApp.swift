import PassAuth
import SharedAuth

/// An app: its identity, and the token store of its team.
struct TVApp {
    static let mvpd = "ExampleCable"

    let store: PassTokenStore
    private let programmer: RequestorConfiguration

    /// Creates an app of a team. It uses the team's group; its vendor is the app id without the last component.
    init(
        _ name: String,
        appID: String,
        team: String,
        like sdk: SDKPreset,
        in records: any RecordStore,
        _ options: PassTokenStore.Options
    ) throws {
        let setup = try PassSetup(
            appID: appID,
            teamID: team,
            project: "sample.single-sign-on",
            like: sdk,
            in: records,
            options: options
        )
        store = try setup.tokens(inGroup: "\(team).example.pass")
        programmer = RequestorConfiguration(id: "Programmer\(name)", integrations: [MVPDIntegration(mvpd: Self.mvpd)])
    }

    /// Configures the programmer, as every app does at launch (`setRequestor`).
    func open() throws(PassStoreError) -> ConfigurationReport { try store.configure(programmer) }

    /// Signs in with the MVPD again.
    func signIn(with server: StandInServer) throws {
        let token = try server.token(for: programmer.id, from: Self.mvpd, to: store.device)
        try store.signIn(token, for: programmer)
    }
}
