import PassAuth
import SharedAuth

/// The setting of the stories: one machine, one keyring, one server.
struct Stage {
    let store: any RecordStore
    let server: StandInServer

    /// Plays a story, prints its steps, and logs all apps out at the end, even after an error.
    func play(_ scenario: Scenario) throws {
        print("\n\(scenario.title)")
        var apps: [String: TVApp] = [:]
        defer { for app in apps.values { try? app.store.logOut() } }
        for (name, app) in scenario.apps.sorted(by: { $0.key < $1.key }) {
            let options = PassTokenStore.Options(publicKey: server.publicKey)
            apps[name] = try TVApp(name, appID: app.appID, team: app.team, like: scenario.sdk, in: store, options)
            print("   \(name) is \(app.appID) of \(app.team).")
        }
        for act in scenario.acts {
            switch act {
            case .open(let name):
                if let app = apps[name] { print("   Open \(name): \(try outcome(of: app))") }
            case .signIn(let name):
                try apps[name]?.signIn(with: server)
                print("   Sign in to \(name): the server gives it a token for its device id.")
            }
        }
    }

    /// Opens an app, and returns a description of the result and its reason.
    private func outcome(of app: TVApp) throws(PassStoreError) -> String {
        let report = try app.open()
        if let session = report.session {
            return session.isShared
                ? "signed in, as \(session.token.requestor) is: the team's store has its token, and the device id is the same."
                : "signed in, with its own token."
        }
        if report.foreignTokens > 0 {
            return "signed out. The token it found has another device id, so it erased it."
        }
        let stored = try app.store.contents()
        if stored.tokens.contains(where: { $0.token.fingerprint != app.store.device.fingerprint }) {
            return "signed out. The team's store has a token, but of another device id: it is ignored, and stays."
        }
        return "signed out. There is no token in its team's store."
    }
}
