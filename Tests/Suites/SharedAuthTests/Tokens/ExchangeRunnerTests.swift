import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Exchanges of tokens with a store in memory and an identity provider that records its calls.
struct ExchangeRunnerTests {
    private let app = MemoryApp()
    private let server = ScriptedServer()
    private let auth: Auth

    init() throws {
        auth = try app.start { [server] in $0.identityProvider = server.source }
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
        case .movedMeanwhile: try app.migrate()
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
        let calls = Recorder<String>()
        server.duringCalls { [server, store = app.store.base] in
            let call = server.calls.last ?? ""
            if call.hasPrefix("refresh") { _ = try? store.update(.own, by: .patient) { _ in .delete } }
            calls.record(call)
        }
        _ = try? await user.getIDToken(forcingRefresh: true)
        #expect(calls.take { $0 == "revoke x/refresh/1" } != nil)
    }
}
