import DesktopSupport
import Dispatch
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the automatic token refresh. The test controls the time; the keyring is in memory.
struct RefreshTimerTests {
    let identity = ScriptedIdentity()
    let timer = FakeTimer()

    func app(
        refreshes: Bool = true,
        store: InMemoryRecordStore = InMemoryRecordStore(),
        timer: FakeTimer? = nil
    ) throws -> AuthApp {
        let timer = timer ?? self.timer
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            identityProvider: identity.source,
            store: .inMemory(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            stateDirectory: TestDirectory.newPath(),
            refreshesTokens: refreshes
        )
        options.now = { timer.now }
        options.schedule = { remaining, work in timer.schedule(remaining, work) }
        return try AuthApp(unregistered: options)
    }

    func signIn(_ auth: Auth) async throws -> User {
        identity.expect(
            IdentityGrant(
                profile: UserProfile(uid: "x"),
                tokens: UserTokens(
                    idToken: "x/id/1",
                    refreshToken: "x/refresh/1",
                    expirationDate: timer.now.addingTimeInterval(3600)
                ),
                isNewUser: true
            )
        )
        return try await auth.signIn(withEmail: "a@example.com", password: "password").user
    }

    @Test("Once the app requested a token, it is refreshed five minutes before it expires")
    func beforeExpiry() async throws {
        let app = try app()
        let user = try await signIn(.auth(app: app))
        #expect(timer.delays.isEmpty)
        _ = try await user.getIDToken()
        #expect(await timer.nextDelay() == .seconds(3300))
        timer.now += 3300
        timer.fire()
        #expect(await timer.nextDelay() > .zero)
        #expect(identity.refreshes == 1)
    }

    @Test("After failures the delay is 60 seconds, then doubles each time up to 16 minutes")
    func backOff() async throws {
        let app = try app()
        let user = try await signIn(.auth(app: app))
        _ = try await user.getIDToken()
        timer.now += 3300
        var delays: [Duration] = []
        _ = await timer.nextDelay()
        for _ in 0..<7 {
            identity.fail(.networkError)
            timer.fire()
            delays.append(await timer.nextDelay())
        }
        #expect(delays == [60, 120, 240, 480, 960, 960, 960].map { .seconds($0) })
        #expect(Auth.auth(app: app).currentUser === user)
    }

    @Test(
        "Short-lived tokens and a wrong clock cause at most one refresh per minute",
        arguments: [(lifetime: 300.0, fast: 60.0), (lifetime: 3600.0, fast: 3600.0), (lifetime: 3600.0, fast: 7200.0)]
    )
    func shortLived(lifetime: Double, fast: Double) async throws {
        let timer = timer
        identity.tellTime { timer.now.addingTimeInterval(-fast) }
        identity.issueTokens(lasting: lifetime)
        identity.expect(.scripted("x", lasting: lifetime, from: timer.now.addingTimeInterval(-fast)))
        let app = try app()
        let user = try await Auth.auth(app: app).signIn(withEmail: "a@example.com", password: "password").user
        _ = try await user.getIDToken()
        let first = timer.delays.count
        // A refresh may be scheduled twice and become due in between.
        for _ in 1...20 where identity.refreshes < 5 {
            timer.now += timer.delays.last.map { Double($0.components.seconds) + 1 } ?? 0
            timer.fire()
            _ = await timer.nextDelay()
        }
        #expect(identity.refreshes >= 5)
        #expect(timer.delays.count > first)
        #expect(timer.delays.dropFirst(first).allSatisfy { $0 >= .seconds(60) }, "\(timer.delays)")
        // Half of four minutes.
        if fast == 60 { #expect(timer.delays.prefix(first).allSatisfy { $0 > .seconds(100) }, "\(timer.delays)") }
    }

    @Test("A peer's refresh of a seemingly expired token causes no immediate further one")
    func peers() async throws {
        let store = InMemoryRecordStore()
        let peerTimer = FakeTimer()
        for timer in [timer, peerTimer] { timer.now += 3600 }
        let own = try app(store: store)
        let user = try await signIn(.auth(app: own))
        let peer = try app(store: store, timer: peerTimer)
        let peersUser = try #require(Auth.auth(app: peer).currentUser)
        _ = try await peersUser.getIDToken()
        let before = peerTimer.delays.count
        _ = try await user.getIDToken(forcingRefresh: true)
        for await changed in Auth.auth(app: peer).idTokenChanges
        where changed?.refreshToken == "x/refresh/refreshed-\(identity.refreshes)" {
            break
        }
        #expect(peerTimer.delays.count > before)
        #expect(peerTimer.delays.dropFirst(before).allSatisfy { $0 >= .seconds(60) }, "\(peerTimer.delays)")
    }

    @Test(
        "The jitter added to a delay leaves time before the expiry",
        arguments: [60, 3600, 24 * 3600, 30 * 24 * 3600]
    )
    func jitter(_ lifetime: Double) {
        let delay = max(lifetime - 300, lifetime / 2)
        let longest = RefreshTimer.longestJitter(of: .seconds(delay))
        #expect(longest > .zero && longest <= .seconds(delay / 20))
        #expect(.seconds(delay) + longest < .seconds(lifetime))
    }

    @Test("A clock that is set does not put the refresh off", arguments: [-7200.0, -86_400.0, 7200])
    func clockSet(_ change: TimeInterval) async throws {
        let timer = timer
        let waits = FakeTimer()
        timer.now -= min(change, 0)
        var options = try app().options
        options.schedule = { remaining, work in
            let timer = Timer(
                remaining: remaining,
                waiting: { duration, look in waits.schedule({ duration }, look) },
                ring: work
            )
            return { timer.cancel() }
        }
        let app = try AuthApp(unregistered: options)
        let user = try await signIn(.auth(app: app))
        _ = try await user.getIDToken()
        timer.now += change
        #expect(await waits.nextDelay() == Timer.longestWait)
        #expect(identity.refreshes == 0)
        // Ten minutes later the refresh is due: the tokens have expired, or they came from a clock that was ahead.
        waits.fire()
        _ = await waits.nextDelay()
        #expect(identity.refreshes == 1)
        #expect(Auth.auth(app: app).currentUser === user)
    }

    @Test("Nothing is scheduled if refreshing is off or no user is signed in")
    func off() async throws {
        let off = try app(refreshes: false)
        _ = try await signIn(.auth(app: off)).getIDToken()
        #expect(timer.delays.isEmpty)
        let on = try app()
        _ = try await signIn(.auth(app: on)).getIDToken()
        try Auth.auth(app: on).signOut()
        #expect(timer.pending == 0)
    }
}

/// A clock and a timer that the test advances.
final class FakeTimer: Sendable {
    private struct State {
        var now = Date()
        var delays: [Duration] = []
        var work: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let stream = AsyncStream<Duration>.makeStream()

    var now: Date {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    var delays: [Duration] { state.withLock { $0.delays } }
    var pending: Int { state.withLock { $0.work.count } }

    func schedule(
        _ remaining: @Sendable () -> Duration,
        _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        // A part of a millisecond has passed since the work was planned.
        let delay = Duration.milliseconds(Int(remaining().wholeMilliseconds))
        let number = state.withLock { state in
            state.next += 1
            state.delays.append(delay)
            state.work[state.next] = work
            return state.next
        }
        stream.continuation.yield(delay)
        return { [self] in state.withLock { $0.work[number] = nil } }
    }

    /// Returns the delay of the next scheduled work that was not returned before.
    func nextDelay() async -> Duration {
        var iterator = stream.stream.makeAsyncIterator()
        return await iterator.next() ?? .zero
    }

    func fire() {
        let work = state.withLock { state in
            defer { state.work = [:] }
            return Array(state.work.values)
        }
        for work in work { work() }
    }
}
