import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OnEveryDaemon {
    /// Tests GNOME Keyring's own prompts, answered by a simulated user.
    struct PersonTests {
        @Test("The user chooses the password of an app's collection and unlocks it with that")
        func chosenPassword()
            async throws
        {
            let bench = Bench(try PrivateKeyring())
            defer { bench.keyring.shutdown() }
            let person = try Person(at: bench.keyring)
            let mail = try ListeningApp("com.example.Mail", on: bench, collection: .named("Office"))
            try await person.types(["secret", "secret"]) { try await mail.auth.createCollection() }
            try await mail.signIn("x")
            let office = try #require(try bench.service.collections().first { try $0.label() == "Office" })
            #expect(try office.items().count > 0)

            try bench.service.lock([office])
            let calendar = try ListeningApp("com.example.Mail", on: bench, group: nil)
            guard case .locked = await calendar.auth.ready() else {
                Issue.record("\(calendar.auth.state)")
                return
            }
            // Whichever app of the group requests the unlock, all apps are notified.
            try await person.types(["secret"]) { try await mail.auth.unlock() }
            #expect(mail.auth.currentUser?.uid == "x")
            #expect(calendar.hears("x"))
        }

        @Test("A dialog not answered in time stays open, and a later answer takes effect")
        func lateAnswer() async throws {
            let bench = Bench(try PrivateKeyring())
            defer { bench.keyring.shutdown() }
            let person = try Person(at: bench.keyring)
            let mail = try ListeningApp("com.example.Mail", on: bench, collection: .named("Office"))
            try await person.types(["secret", "secret"]) { try await mail.auth.createCollection() }
            try await mail.signIn("x")
            let office = try #require(try bench.service.collections().first { try $0.label() == "Office" })
            try bench.service.lock([office])
            let calendar = try ListeningApp("com.example.Mail", on: bench, group: nil)
            guard case .locked = await calendar.auth.ready() else {
                Issue.record("\(calendar.auth.state)")
                return
            }
            let daemon = try bench.service.daemon()
            let wait: () async -> Void = {
                await expectFailure(.timedOut) { try await mail.auth.unlock(timeout: .seconds(4)) }
                // A second prompt waits for the first.
                await expectFailure(.timedOut) { try await calendar.auth.unlock(timeout: .seconds(1)) }
            }
            try await person.typesLate(["secret"], after: wait)
            #expect(calendar.hears("x"))
            #expect(try bench.service.daemon() == daemon)
        }
    }
}
