import Dispatch
import Foundation
import TestSupport
import Testing

@testable import PassAuth
@testable import SharedAuth

/// An app whose `Auth` shows the sessions of a programmer.
final class BridgedApp: Sendable {
    let users: PassUserStore
    let app: AuthApp
    let directory: String

    var auth: Auth { Auth.auth(app: app) }

    /// Creates the app. With the directory of an earlier one it is that app after a restart.
    init(
        _ world: PassStoreFixture,
        _ requestor: RequestorConfiguration,
        appID: String = "com.example.one",
        directory: String? = nil
    ) throws {
        users = PassUserStore(
            of: requestor,
            appID: appID,
            in: world.keyring,
            device: DeviceIdentity(.custom, "device"),
            options: .init(now: { [clock = world.clock] in clock.now })
        )
        self.directory = directory ?? TestDirectory.newPath()
        var options = AuthApp.Options(
            appID: appID,
            store: .custom(users),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: self.directory,
            refreshesTokens: false
        )
        options.now = { [clock = world.clock] in clock.now }
        app = try AuthApp(unregistered: options)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Returns the tokens of a group, or of the app alone.
    func tokens(_ group: String?) throws -> PassTokenStore { users.tokens(in: try group.map { try AccessGroup($0) }) }
}
