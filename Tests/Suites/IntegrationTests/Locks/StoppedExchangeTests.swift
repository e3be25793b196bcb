import FoundationEssentials
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Tests a process that is stopped while it exchanges tokens, and processes that need tokens meanwhile.
    struct StoppedExchangeTests {
        static let group = "group.example.exchange"

        /// An app of the group with its own time limits, and a process that is stopped in the middle of an exchange and
        /// holds the turn.
        private struct Scene {
            let peer: PeerProcess
            let app: TestApp
            let user: User
            let clock: TestClock

            init(_ world: AppFixture, _ lock: LockKind? = nil) async throws {
                let locking = lock?.argument(in: world) ?? "automatic"
                let clock = TestClock()
                peer = try await PeerProcess.started(world, group: StoppedExchangeTests.group, locking: locking)
                try await peer.obey("sign-in x 1")
                app = try TestApp(
                    world,
                    timeout: .seconds(5),
                    locking: lock == .file ? .file(directory: "\(world.keyring.directory)/locks") : .automatic
                ) { options in
                    (options.identityTimeout, options.longestExchange) = (.seconds(1), .seconds(40))
                    options.now = { clock.now }
                }
                try app.auth.useUserAccessGroup(StoppedExchangeTests.group)
                self.clock = clock
                user = try #require(app.auth.currentUser)
                try await peer.obey("hold")
                peer.tell("refresh")
                _ = try await peer.event("held")
                peer.child.signal(SIGSTOP)
                #expect(await peer.hasStopped())
            }

            var holder: String { "TestPeer (process \(peer.child.processID)), which is stopped," }

            /// Lets the peer complete its exchange.
            func goOn() async throws {
                peer.child.signal(SIGCONT)
                peer.tell("go")
                #expect(try await peer.answer("refresh").error == nil)
            }
        }

        @Test(
            "A forced refresh waits for a stopped process within its own time, and names it",
            arguments: LockKind.allCases
        )
        func forced(lock: LockKind) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let scene = try await Scene(AppFixture(keyring), lock)
            let start = ContinuousClock.now
            let error = await expectFailure(.timedOut) {
                _ = try await scene.user.getIDToken(forcingRefresh: true)
            }
            // Six seconds, without the time that an exchange may take in addition.
            let elapsed = ContinuousClock.now - start
            #expect(elapsed < .hang)
            let message = try #require(error?.message)
            let sentence = "\(scene.holder) did not end its exchange of the tokens in time: this call waited "
            let waited = try #require(message.split(separator: sentence).last?.prefix { $0 != " " })
            let seconds = try #require(Double(waited), "\(message)")
            #expect(seconds > 0 && .seconds(seconds) <= elapsed, "\(message)")
            #expect(error?.remedy == "Continue it with kill -CONT \(scene.peer.child.processID), or end it.")
            // The stopped process kept its turn.
            #expect(scene.app.identity.refreshes == 0)
            try await scene.goOn()
            let token = try await scene.user.getIDToken(forcingRefresh: true)
            #expect(token.contains("refreshed") && scene.app.identity.refreshes == 0)
        }

        @Test("A due but valid token is returned while a stopped process holds the turn")
        func valid() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let scene = try await Scene(AppFixture(keyring))
            scene.clock.now = scene.user.snapshot.tokens.expirationDate.addingTimeInterval(-120)
            #expect(try await scene.user.getIDToken() == "x/1")
            // A caller that joins one waiting for the turn gets it, too.
            let forced = Task { () async -> AuthErrorCode? in
                do throws(AuthError) { _ = try await scene.user.getIDToken(forcingRefresh: true) } catch {
                    return error.code
                }
                return nil
            }
            #expect(try await scene.user.getIDToken() == "x/1")
            #expect(await forced.value == .timedOut)
            // An expired token is not returned.
            scene.clock.advance(by: 121)
            await expectFailure(.timedOut) { _ = try await scene.user.getIDToken() }
            #expect(scene.app.identity.refreshes == 0)
            try await scene.goOn()
        }

        @Test("A refresh on a mute bus ends within one call's time limit and names the bus")
        func muteBus() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            let app = try TestApp(world, timeout: .seconds(5)) {
                ($0.identityTimeout, $0.longestExchange) = (.seconds(40), .seconds(40))
            }
            let user = try await app.signIn("x")
            keyring.stopBus()
            let start = ContinuousClock.now
            let error = await expectFailure(.timedOut) { _ = try await user.getIDToken(forcingRefresh: true) }
            #expect(ContinuousClock.now - start < .hang)
            #expect(
                error?.message.contains("The message bus did not answer in time.") == true,
                "\(error?.message ?? "")"
            )
            keyring.continueBus()
        }
    }
}
