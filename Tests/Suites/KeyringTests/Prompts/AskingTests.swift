import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Calls that wait for the person, on the scripted daemon.
struct AskingTests {
    /// The two calls that ask.
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
        "Cancelling the task withdraws the prompt, and other calls go on meanwhile",
        .timeLimit(.minutes(5)),
        arguments: Asking.allCases
    )
    func cancelling(_ asking: Asking) async throws {
        let fake = try Fake("prompts=silent", "locked", "owning=org.kde.ksecretd")
        let app = try ListeningApp("com.example.Mail", on: fake.bench, group: nil, collection: .named("Office"))
        let asked = Task { () async -> AuthError? in
            do throws(AuthError) {
                // Longer than the test may take.
                try await asking.ask(app.auth, timeout: .seconds(90))
                return nil
            } catch {
                return error
            }
        }
        #expect(await app.calls.happens("Prompt"))
        do throws(AuthError) {
            _ = try app.auth.getStoredUser(forAccessGroup: Bench.group)
            Issue.record("not locked")
        } catch {
            #expect(error.code == .keyringLocked)
        }
        asked.cancel()
        #expect(await asked.value?.code == .promptDismissed)
        #expect(await app.calls.happens("Dismiss"))
    }

    @Test("An unanswered prompt is withdrawn when the person's time is over", arguments: Asking.allCases)
    func silence(_ asking: Asking) async throws {
        let app = try await expectRefusal(.timedOut, of: asking, timeout: .milliseconds(300), by: "prompts=silent")
        #expect(await app.calls.happens("Dismiss"))
    }

    @Test("The person declines", arguments: Asking.allCases)
    func declining(_ asking: Asking) async throws {
        _ = try await expectRefusal(.promptDismissed, of: asking, timeout: .seconds(20), by: "prompts=dismiss")
    }

    @Test("A collection is made once, by the daemon's own prompt")
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
        // Of a kind that survives a dismissal.
        let fake = try Fake(script, "locked", "owning=org.kde.ksecretd")
        let app = try ListeningApp("com.example.Mail", on: fake.bench, group: nil, collection: .named("Office"))
        do throws(AuthError) {
            try await asking.ask(app.auth, timeout: timeout)
            Issue.record("somebody agreed")
        } catch {
            #expect(error.code == code, "\(error)")
        }
        return app
    }
}
