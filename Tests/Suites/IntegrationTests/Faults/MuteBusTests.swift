import LocalIdentity
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension Sweeps {
    /// Tests a message bus that accepts connections and never responds.
    struct MuteBusTests {
        /// The time limit of one call to the keyring, and a time that two calls in sequence would exceed.
        private static let (once, twice) = (Duration.seconds(10), Duration.seconds(19))

        @Test("unlock() ends within one call's time limit and names the bus", arguments: [false, true])
        func unlock(hasLoaded: Bool) async throws {
            try await expectOneLimit(hasLoaded: hasLoaded) { app async throws(AuthError) in try await app.auth.unlock()
            }
        }

        @Test("createCollection() ends within one call's time limit and names the bus")
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
                // An embedded identity provider would also wait for the keyring.
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
