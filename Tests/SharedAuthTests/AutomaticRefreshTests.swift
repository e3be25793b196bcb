import Dispatch
import FoundationEssentials
import ScriptedIdentity
import Synchronization
import Testing

@testable import SharedAuth

/// Time is what the test says; the keyring is memory.
struct AutomaticRefreshTests {
    let identity = ScriptedIdentity()
    let timer = FakeTimer()

    func app(refreshes: Bool = true) throws -> AuthApp {
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            identityProvider: identity.source,
            store: .inMemory(),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            stateDirectory: FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())").path,
            refreshesTokens: refreshes
        )
        options.now = { [timer] in timer.now }
        options.schedule = { [timer] delay, work in timer.schedule(delay, work) }
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

    @Test("A token is refreshed five minutes before it expires, once the app has asked for one")
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

    @Test("After failures it waits 60 seconds, then twice as long each time, at most 16 minutes")
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

    @Test("Nothing is scheduled where it is off, nor for nobody")
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

/// A clock and a timer that move when the test says so.
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

    func schedule(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.next += 1
            state.delays.append(delay)
            state.work[state.next] = work
            return state.next
        }
        stream.continuation.yield(delay)
        return { [self] in state.withLock { $0.work[number] = nil } }
    }

    /// The delay of the next work scheduled that was not asked for yet.
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
