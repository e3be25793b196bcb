import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension Sweeps {
    /// Tests a daemon that stops in the middle of a change.
    struct StoppedDaemonTests {
        @Test("Settling a change without a response stays within the call's deadline")
        func duringWrite() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let stop = CallInterceptor { call, _ in
                if call.member == "CreateItem" { keyring.stopDaemon() }
                return nil
            }
            let world = try AppFixture(keyring)
            let user = try await TestApp(world).signIn("x")
            let app = try TestApp(world, timeout: .seconds(8), interceptor: stop)
            #expect(app.auth.currentUser?.uid == "x")
            let start = ContinuousClock.now
            await expectFailure(.outcomeUnknown) {
                try await app.auth.updateCurrentUser(user)
            }
            // Two deadlines would be sixteen seconds.
            #expect(ContinuousClock.now - start < .seconds(15))
            keyring.continueDaemon()
        }
    }
}
