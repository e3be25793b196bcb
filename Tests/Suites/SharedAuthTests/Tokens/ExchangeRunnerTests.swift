import Dispatch
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Exchanges of tokens with a store in memory and an identity provider that records its calls.
struct ExchangeRunnerTests {
    static let group = "group.example.exchange"

    private let store = InMemoryRecordStore()
    private let server = ScriptedServer()
    private let directory = TestDirectory.newPath()
    private let auth: Auth

    init() throws {
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "p",
            identityProvider: server.source,
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            stateDirectory: directory,
            observesOtherProcesses: false
        )
        auth = Auth.auth(app: try AuthApp(unregistered: options))
    }

    enum Whereabouts: CaseIterable {
        case stored, movedMeanwhile, inNoSlot
    }

    @Test("The turn is noted once, before the identity provider is called", arguments: Whereabouts.allCases)
    func turn(whereabouts: Whereabouts) async throws {
        server.answer(.server("x", .server("x", "a")))
        var user = try await auth.signIn(withEmail: "ada@example.com", password: "secret").user
        switch whereabouts {
        case .stored: break
        case .movedMeanwhile: try migrate()
        case .inNoSlot:
            var account = user.snapshot
            account.tokens = .server("x", "of no slot")
            user = User(account, auth: auth, slot: nil)
        }
        let steps = Recorder<String>()
        let runner = ExchangeRunner<Void>(
            user: user,
            engine: auth.engine,
            request: { _ throws(AuthError) in
                steps.record("call")
                return ExchangeAnswer(value: (), tokens: .server("x", "b"))
            },
            onTurn: { () throws(AuthError) in steps.record("turn") },
            deadline: .patient
        )
        let slot: Slot? = whereabouts == .inNoSlot ? nil : .own
        let exchange = TokenExchange(
            .refresh(scopes: nil),
            of: "x",
            in: slot,
            with: user.snapshot.tokens,
            auth.engine.tokenRules
        )
        #expect(try await runner.run(exchange).tokens.refreshToken == "x/refresh/b")
        #expect(steps.events == ["turn", "call"])
    }

    @Test("If the user is signed out elsewhere during a refresh, the new session is revoked")
    func signedOutMeanwhile() async throws {
        server.answer(.server("x", .server("x", "a")))
        let user = try await auth.signIn(withEmail: "ada@example.com", password: "secret").user
        let (calls, key) = (Recorder<String>(), try auth.engine.slots.key(.own))
        server.duringCalls { [server, store] in
            let call = server.calls.last ?? ""
            if call.hasPrefix("refresh") { _ = try? store.update(key, by: .patient) { _ in .delete } }
            calls.record(call)
        }
        _ = try? await user.getIDToken(forcingRefresh: true)
        #expect(calls.take { $0 == "revoke x/refresh/1" } != nil)
    }

    /// Moves the app's user as a tool does.
    private func migrate() throws {
        let migration = try UserMigration(
            from: nil,
            to: Self.group,
            project: "p",
            store: .custom(store),
            stateDirectories: StateDirectories(own: directory, home: "/nonexistent", given: [])
        )
        let outcomes = try migration.plan(for: .named(["com.example.Mail"])).flatMap { migration.perform($0) }
        #expect(outcomes.map(\.kind) == [.moved])
    }
}
