import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

struct CancelledGrantTests {
    @Test(
        "A sign-in cancelled while its tokens are issued ends their session",
        .timeLimit(.minutes(1)),
        arguments: [false, true],
        [false, true]
    )
    func cancelled(byDevice: Bool, isPlain: Bool) async throws {
        let world = IssuerFixture()
        let (openID, oauth2) = (world.openID(), world.oauth2())
        let person: any FederatedAuthProvider =
            switch (byDevice, isPlain) {
            case (true, true): DeviceSignIn(oauth2) { _ in }
            case (true, false): DeviceSignIn(openID) { _ in }
            case (false, true): OAuthSignIn(oauth2, browser: world.settings())
            case (false, false): world.browser(openID)
            }
        let running = Mutex<Task<Void, any Error>?>(nil)
        let (revoked, revocations) = AsyncStream<String>.makeStream()
        world.issuer.change { script in
            script.onTokens = { running.withLock { $0 }?.cancel() }
            script.onRevocation = { revocations.yield($0) }
        }
        let task = running.withLock { running in
            let task = Task { _ = try await person.credential() }
            running = task
            return task
        }
        await expectFailure(.webContextCancelled) { try await task.value }
        for await token in revoked where token.hasPrefix("refresh-") { break }
        #expect(world.issuer.script.withLock { $0.refreshTokens.isEmpty })
    }

    @Test("A sign-in that is cancelled before its tokens are requested requests none")
    func cancelledBefore() async throws {
        let world = IssuerFixture()
        let oauth2 = world.oauth2()
        let running = Mutex<Task<Void, any Error>?>(nil)
        let settings = world.settings { settings in
            settings.visit = { [issuer = world.issuer] _ throws(AuthError) in
                ObservedBrowser(ScriptedBrowser(issuer)) { _ in running.withLock { $0 }?.cancel() }
            }
        }
        let task = running.withLock { running in
            let task = Task { _ = try await OAuthSignIn(oauth2, browser: settings).credential() }
            running = task
            return task
        }
        await expectFailure(.webContextCancelled) { try await task.value }
        #expect(world.issuer.count(of: "/token authorization_code") == 0)
    }
}
