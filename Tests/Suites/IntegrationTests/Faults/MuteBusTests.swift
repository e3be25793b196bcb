import LocalIdentity
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension Sweeps {
    /// A message bus that accepts connections and answers nothing.
    struct MuteBusTests {
        /// The longest time of a call of the keyring, and of a call that waits for it twice.
        private static let (once, twice) = (Duration.seconds(6), Duration.seconds(11))

        @Test("unlock() ends within the time of a call, and speaks of the bus", arguments: [false, true])
        func unlock(hasLoaded: Bool) async throws {
            try await expectOneLimit(hasLoaded: hasLoaded) { app async throws(AuthError) in try await app.auth.unlock()
            }
        }

        @Test("So does createCollection()")
        func createCollection() async throws {
            try await expectOneLimit(hasLoaded: true) { app async throws(AuthError) in
                try await app.auth.createCollection()
            }
        }

        @Test("A sign-in that waits for the first load waits once")
        func signIn() async throws {
            try await expectOneLimit(hasLoaded: false) { app async throws(AuthError) in
                _ = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
            }
            try await expectOneLimit(hasLoaded: false) { app async throws(AuthError) in
                _ = try await app.auth.signInAnonymously()
            }
        }

        private func expectOneLimit(
            hasLoaded: Bool,
            _ call: (TestApp) async throws(AuthError) -> Void
        ) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            if !hasLoaded { keyring.stopBus() }
            let app = try TestApp(world, timeout: Self.once, listens: false, collection: .named("Office")) { options in
                // An embedded identity provider would wait for the keyring, too.
                options.identityProvider = .local
            }
            if hasLoaded {
                _ = await app.auth.ready()
                keyring.stopBus()
            }
            let start = ContinuousClock.now
            let error = await expectFailure(.timedOut) { try await call(app) }
            #expect(ContinuousClock.now - start < Self.twice)
            #expect(
                error?.message.contains("The message bus did not answer in time.") == true,
                "\(error?.message ?? "")"
            )
            #expect(error?.remedy == "Try again; if the problem persists, log out and in.")
            keyring.continueBus()
        }
    }
}
