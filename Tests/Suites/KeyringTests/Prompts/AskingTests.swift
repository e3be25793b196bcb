import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests calls that wait for the user, on the scripted daemon.
struct AskingTests {
    /// The two calls that prompt the user.
    enum Asking: CaseIterable, Sendable {
        case unlock, createCollection

        func ask(_ auth: Auth, timeout: Duration) async throws(AuthError) {
            switch self {
            case .unlock: try await auth.unlock(timeout: timeout)
            case .createCollection: try await auth.createCollection(timeout: timeout)
            }
        }
    }

    @Test(
        "Cancelling the task withdraws the prompt, and other calls are not blocked",
        .timeLimit(.minutes(5)),
        arguments: Asking.allCases
    )
    func cancelling(_ asking: Asking) async throws {
        let fake = try Fake("prompts=silent", "locked", "owning=org.kde.ksecretd")
        let app = try ListeningApp("com.example.Mail", on: fake.bench, group: nil, collection: .named("Office"))
        let asked = Task { () async -> AuthError? in
            do throws(AuthError) {
                // Longer than the test takes.
                try await asking.ask(app.auth, timeout: .seconds(90))
                return nil
            } catch {
                return error
            }
        }
        // A prompt whose call is cancelled before it is sent is not shown.
        #expect(app.calls.isAnswered("Prompt"))
        do throws(AuthError) {
            _ = try app.auth.getStoredUser(forAccessGroup: Bench.group)
            Issue.record("not locked")
        } catch {
            #expect(error.code == .keyringLocked)
        }
        asked.cancel()
        #expect(await asked.value?.code == .promptDismissed)
        #expect(app.calls.happens("Dismiss"))
    }

    @Test("An unanswered prompt is withdrawn at the timeout", arguments: Asking.allCases)
    func silence(_ asking: Asking) async throws {
        let app = try await expectRefusal(.timedOut, of: asking, timeout: .milliseconds(300), by: "prompts=silent")
        #expect(app.calls.happens("Dismiss"))
    }

    @Test("A declined prompt throws `promptDismissed`", arguments: Asking.allCases)
    func declining(_ asking: Asking) async throws {
        _ = try await expectRefusal(.promptDismissed, of: asking, timeout: .seconds(20), by: "prompts=dismiss")
    }

    @Test("A collection is created once, by the daemon's own prompt")
    func creating() async throws {
        let fake = try Fake("prompts=complete")
        let app = try ListeningApp("com.example.Mail", on: fake.bench, group: nil, collection: .named("Office"))
        try await app.auth.createCollection()
        #expect(try fake.bench.service.collections().map { try $0.label() } == ["scripted", "Office"])
        let other = try ListeningApp("com.example.Calendar", on: fake.bench, group: nil, collection: .named("Office"))
        for app in [app, other] { try await app.auth.createCollection() }
        #expect(try fake.bench.service.collections().count == 2)
        #expect(!other.calls.take().contains("CreateCollection"))
    }

    private func expectRefusal(
        _ code: AuthErrorCode,
        of asking: Asking,
        timeout: Duration,
        by script: String
    ) async throws -> ListeningApp {
        // The bus name is that of a kind that survives a dismissal.
        let fake = try Fake(script, "locked", "owning=org.kde.ksecretd")
        let app = try ListeningApp("com.example.Mail", on: fake.bench, group: nil, collection: .named("Office"))
        do throws(AuthError) {
            try await asking.ask(app.auth, timeout: timeout)
            Issue.record("the prompt was accepted")
        } catch {
            #expect(error.code == code, "\(error)")
        }
        return app
    }
}
