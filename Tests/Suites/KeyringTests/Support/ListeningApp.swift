import Dispatch
import SecretService
import TestSupport

@testable import SharedAuth

/// An app on a bench that records each state it announces. It is in the group that all apps of the bench share, by a
/// call or by its options.
final class ListeningApp: Sendable {
    let app: AuthApp
    let calls = Calls()
    let identity = ScriptedIdentity()
    private let heard = Recorder<String>()

    var auth: Auth { Auth.auth(app: app) }

    init(
        _ appID: String,
        on bench: Bench,
        group: String? = Bench.group,
        named: String? = nil,
        collection: RecordCollection = .standard,
        timeout: Duration = .seconds(20)
    ) throws {
        var configuration = SecretService.Configuration(
            busAddress: .address(bench.keyring.busAddress),
            timeout: timeout
        )
        configuration.interceptor = calls.interceptor
        configuration.hasDisplay = true
        app = try AuthApp(
            unregistered: AuthApp.Options(
                appID: appID,
                accessGroup: named,
                project: bench.project,
                identityProvider: identity.source,
                store: .secretService(configuration, collection: collection),
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
                timeout: timeout,
                stateDirectory: "\(bench.keyring.directory)/state-\(bench.project)",
                observesOtherProcesses: true
            )
        )
        if let group { try auth.useUserAccessGroup(group) }
        _ = auth.addStateDidChangeListener { [heard] _, user in heard.record(user?.uid ?? "signed out") }
    }

    func signIn(_ uid: String) async throws {
        identity.expect(.scripted(uid, "1"))
        _ = try await auth.signIn(withEmail: "person@example.com", password: "password")
    }

    /// Waits until a state is announced, and returns whether it is this user, or "signed out".
    func hearsFirst(_ uid: String) -> Bool { heard.take { _ in true } == [uid] }

    /// Waits until this user, or "signed out", is announced. Returns false if it is not announced in time.
    func hears(_ uid: String) -> Bool { heard.take { $0 == uid } != nil }
}
