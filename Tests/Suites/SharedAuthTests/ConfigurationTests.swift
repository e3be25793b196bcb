import Dispatch
import EncryptedFiles
import FoundationEssentials
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

struct ConfigurationTests {
    static let directory = TestDirectory.newPath()

    func options(_ appID: String, _ store: InMemoryRecordStore = InMemoryRecordStore()) -> AuthApp.Options {
        AuthApp.Options(
            appID: appID,
            store: .inMemory(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            stateDirectory: Self.directory
        )
    }

    @Test("The same options return the same app again; other options are refused")
    func twice() throws {
        let options = options("com.example.Twice")
        let app = try AuthApp.configure(name: "twice", options)
        #expect(try AuthApp.configure(name: "twice", options) === app)
        #expect(AuthApp.app(name: "twice") === app)
        expectFailure(.alreadyConfigured) {
            _ = try AuthApp.configure(name: "twice", self.options("com.example.Other"))
        }
        var withDaemon = options
        withDaemon.identityProvider = ScriptedIdentity().source
        var elsewhere = options
        elsewhere.store = .encryptedFiles(directory: Self.directory, key: .keyFile("/nowhere"))
        for other in [withDaemon, elsewhere] {
            expectFailure(.alreadyConfigured) {
                _ = try AuthApp.configure(name: "twice", other)
            }
        }
        #expect(Auth.auth(app: app) === Auth.auth(app: app))
        #expect(Auth.auth(app: app).app === app)
    }

    @Test("The order in which an app declares its groups makes no other configuration")
    func orderOfGroups() throws {
        var options = options("com.example.Order")
        options.accessGroups = ["group.example.one", "group.example.two"]
        let app = try AuthApp.configure(name: "order", options)
        options.accessGroups = ["group.example.two", "group.example.one", "group.example.two"]
        #expect(try AuthApp.configure(name: "order", options) === app)
        options.accessGroups = ["group.example.one"]
        let fewer = options
        expectFailure(.alreadyConfigured) { _ = try AuthApp.configure(name: "order", fewer) }
    }

    @Test("Apps with different names are separate, even with one app ID and one store")
    func names() async throws {
        let store = InMemoryRecordStore()
        let one = try AuthApp.configure(name: "one", options("com.example.Names", store))
        let two = try AuthApp.configure(name: "two", options("com.example.Names", store))
        let user = User(
            Account(
                profile: UserProfile(uid: "x"),
                tokens: UserTokens(idToken: "i", refreshToken: "r", expirationDate: .distantFuture),
                project: "default"
            ),
            auth: nil,
            slot: nil
        )
        try Auth.auth(app: one).useUserAccessGroup("group.example.names")
        try await Auth.auth(app: one).updateCurrentUser(user)
        #expect(Auth.auth(app: two).userAccessGroup == nil)
        try Auth.auth(app: two).useUserAccessGroup("group.example.names")
        #expect(Auth.auth(app: two).currentUser == nil)
    }

    @Test("Deleting an app empties its own slot, keeps group and choice, and frees its name")
    func deletion() async throws {
        let store = InMemoryRecordStore()
        let app = try AuthApp.configure(name: "gone", options("com.example.Gone", store))
        let auth = Auth.auth(app: app)
        let user = User(
            Account(
                profile: UserProfile(uid: "x"),
                tokens: UserTokens(idToken: "i", refreshToken: "r", expirationDate: .distantFuture),
                project: "default"
            ),
            auth: nil,
            slot: nil
        )
        try await auth.updateCurrentUser(user)
        try await app.delete()
        #expect(AuthApp.app(name: "gone") == nil)
        let again = try AuthApp.configure(name: "gone", options("com.example.Gone", store))
        #expect(again !== app)
        #expect(Auth.auth(app: again).currentUser == nil)
    }

    @Test("Before configure, the identity is derived, and sign-in reports what is missing")
    func unconfigured() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("SHAREDAUTH_APP_ID", "com.example.Derived", 1)
            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1)
            let auth = Auth.auth()
            #expect(auth.engine.identity.appID == "com.example.Derived")
            #expect(Auth.auth() === auth)
            #expect(auth.currentUser == nil)
            guard case .unavailable = auth.state else { exit(1) }
            do throws(AuthError) {
                try await auth.signInAnonymously()
                exit(2)
            } catch {
                exit(error.code == .keyringUnavailable || error.code == .operationNotAllowed ? 0 : 3)
            }
        }
    }

    @Test("Before configure, a malformed derived identity fails every call with the reason")
    func malformed() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("SHAREDAUTH_APP_ID", "not an id", 1)
            let auth = Auth.auth()
            guard auth.currentUser == nil, Auth.auth() === auth else { exit(1) }
            do throws(AuthError) {
                try auth.useUserAccessGroup("group.example.x")
                exit(2)
            } catch {
                exit(error.code == .invalidAppIdentifier ? 0 : 3)
            }
        }
    }

    @Test("A Flatpak's app ID takes precedence over the environment's")
    func flatpak() throws {
        let path = TestDirectory.newPath()
        try Data("[Context]\nname=no\n\n[Application]\nname=org.example.Flat\nruntime=x\n".utf8)
            .write(to: URL(filePath: path))
        let environment = ["SHAREDAUTH_APP_ID": "com.example.Env"]
        for (file, appID) in [(path, "org.example.Flat"), ("/nonexistent", "com.example.Env")] {
            let sandbox = Sandbox.detected(flatpakInfo: file, environment: { _ in nil }, executable: nil)
            #expect(AppIdentity.derivedAppID(environment: { environment[$0] }, sandbox: sandbox) == appID)
        }
    }

    @Test("A snap's name replaces the executable's, but only for the snap's own programs")
    func snap() throws {
        let environment = ["SNAP": "/snap/mail/7", "SNAP_NAME": "mail"]
        let inside = Sandbox.detected(
            flatpakInfo: "/nonexistent",
            environment: { environment[$0] },
            executable: "/snap/mail/7/bin/mail"
        )
        #expect(inside == .snap(name: "mail"))
        #expect(AppIdentity.derivedAppID(environment: { environment[$0] }, sandbox: inside) == "mail")
        // Programs started in a snap's terminal inherit its variables.
        let outside = Sandbox.detected(
            flatpakInfo: "/nonexistent",
            environment: { environment[$0] },
            executable: "/usr/bin/mail"
        )
        #expect(outside == nil)
    }
}
