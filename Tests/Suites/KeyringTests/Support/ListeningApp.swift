import Dispatch
import SecretService
import TestSupport

@testable import SharedAuth

/// An app on a bench, in the group that all its apps share, that notes each state it announces.
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
        _ = auth.addStateDidChangeListener { [heard] _, user in heard.record(user?.uid ?? "nobody") }
    }

    func signIn(_ uid: String) async throws {
        identity.expect(.scripted(uid, "1"))
        _ = try await auth.signIn(withEmail: "person@example.com", password: "password")
    }

    /// Waits until this user is announced, or "nobody"; false if that does not come.
    func hears(_ uid: String) -> Bool { heard.take { $0 == uid } != nil }
}
