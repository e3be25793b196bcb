import Dispatch
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the six authentication states: each call's result in each state, and that stored data does not change.
struct SixAnswersTests {
    static let group = "group.example.six"

    /// The reason why the current slot cannot be read.
    enum Trouble: CaseIterable {
        case locked, unavailable, newer

        var code: AuthErrorCode {
            switch self {
            case .locked: .keyringLocked
            case .unavailable: .keyringUnavailable
            case .newer: .recordVersionUnsupported
            }
        }
    }

    @Test(
        "Locked, unavailable, too new: every call throws that error and stores nothing",
        arguments: Trouble.allCases
    )
    func trouble(_ trouble: Trouble) async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        let earlier = try TestApp(world)
        try earlier.auth.useUserAccessGroup(Self.group)
        if trouble == .newer {
            try world.plant(Array("SharedAuth2.x".utf8), in: world.key(Self.group))
        } else {
            try await earlier.signIn("x")
        }
        let before = try world.contents()
        if trouble != .newer { try keyring.killDaemon() }
        if trouble == .locked { try keyring.startDaemon(unlocked: false) }

        let app = try TestApp(world)
        let state = await app.auth.ready()
        switch (state, trouble) {
        case (.locked, .locked): break
        case (.unavailable(let error), .unavailable), (.damaged(let error), .newer): #expect(error.code == trouble.code)
        default: Issue.record("\(state)")
        }
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == Self.group)
        expectFailure(trouble.code) { try app.auth.useUserAccessGroup(Self.group) }
        expectFailure(trouble.code) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
        await expectFailure(trouble.code) {
            _ = try await app.auth.storedUsers(inAccessGroup: Self.group)
        }
        expectFailure(trouble.code) { try app.auth.signOut() }
        await expectFailure(trouble.code) { try await app.auth.signOut(uid: "x") }
        await expectFailure(trouble.code) { try await app.auth.signOutAll() }
        await expectFailure(trouble.code) {
            try await app.auth.switchCurrentUser(toUID: "x")
        }
        app.identity.expect(.scripted("y"))
        await expectFailure(trouble.code) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(app.announcements().isEmpty)
        #expect(app.auth.currentUser == nil)
        // This call changes memory anyway, by design.
        let z = User(
            Account(profile: UserProfile(uid: "z"), tokens: .scripted("z", "1"), project: world.project),
            auth: nil,
            slot: nil
        )
        await expectFailure(trouble.code) { try await app.auth.updateCurrentUser(z) }
        #expect(app.auth.currentUser === z)

        if trouble == .locked { try keyring.killDaemon() }
        if trouble != .newer { try keyring.startDaemon(unlocked: true) }
        #expect(try world.contents() == before)
    }

    @Test(
        "Damaged: reads throw; sign-in, update and sign-out set the damage aside",
        arguments: ["signIn", "update", "signOut", "signOutAll"]
    )
    func damaged(act: String) async throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        try world.plant([0x80, 0x00, 0xFF], in: key)
        let before = try world.contents()

        let app = try TestApp(world)
        let state = await app.auth.ready()
        guard case .damaged(let error) = state else { Issue.record("\(state)"); return }
        #expect(error.code == .recordDamaged)
        #expect(app.auth.currentUser == nil)
        expectFailure(.recordDamaged) { try app.auth.useUserAccessGroup(nil) }
        expectFailure(.recordDamaged) {
            _ = try app.auth.getStoredUser(forAccessGroup: nil)
        }
        await expectFailure(.recordDamaged) {
            try await app.auth.switchCurrentUser(toUID: "x")
        }
        await expectFailure(.recordDamaged) { try await app.auth.signOut(uid: "x") }
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)

        switch act {
        case "signIn":
            try await app.signIn("x")
        case "update":
            let account = Account(profile: UserProfile(uid: "x"), tokens: .scripted("x", "1"), project: world.project)
            try await app.auth.updateCurrentUser(User(account, auth: nil, slot: nil))
        case "signOut":
            try app.auth.signOut()
        default:
            try await app.auth.signOutAll()
        }
        let uid = act.hasPrefix("signOut") ? nil : "x"
        #expect(app.auth.currentUser?.uid == uid)
        #expect(app.announcements() == .both(uid))
        #expect(try app.stored(nil) == uid)
        let aside = try world.items().filter(\.isSetAside)
        #expect(aside.map(\.secret) == [[0x80, 0x00, 0xFF]])
    }

    @Test("Before the first load no listener is called, and calls end at their deadline")
    func unknown() async throws {
        let world = try AppFixture()
        try await TestApp(world).signIn("x")
        let before = try world.contents()
        let call = HeldCall()
        let app = try TestApp(world, timeout: .milliseconds(300), interceptor: call.interceptor)
        call.waitUntilHeld()

        guard case .unknown = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == nil)
        expectFailure(.timedOut) { try app.auth.useUserAccessGroup(Self.group) }
        expectFailure(.timedOut) { try app.auth.signOut() }
        guard case .unknown = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
        call.release()
    }

    @Test("After the first load, listeners are called first and waiting calls continue")
    func becomesKnown() async throws {
        let world = try AppFixture()
        try await TestApp(world).signIn("x")
        let call = HeldCall()
        let app = try TestApp(world, interceptor: call.interceptor)
        call.waitUntilHeld()
        #expect(app.announcements().isEmpty)
        async let user = app.signIn("y")
        async let state = app.auth.ready()
        call.release()
        #expect(Array(app.heard(2).prefix(2)) == .both("x"))
        #expect(try await user.uid == "y")
        guard case .signedIn = await state else { Issue.record("not signed in"); return }
        #expect(app.auth.currentUser?.uid == "y")
    }

    @Test("Signed in and signed out: calls succeed, and reading changes nothing", arguments: [true, false])
    func known(signedIn: Bool) async throws {
        let world = try AppFixture()
        if signedIn { try await TestApp(world).signIn("x") }
        let before = try world.contents()
        let app = try TestApp(world)
        switch await app.auth.ready() {
        case .signedIn(let user): #expect(signedIn && user.uid == "x")
        case .signedOut: #expect(!signedIn)
        case let state: Issue.record("\(state)")
        }
        let uid = signedIn ? "x" : nil
        #expect(app.auth.currentUser?.uid == uid)
        #expect(app.announcements() == .both(uid))
        #expect(try await app.auth.storedUsers(inAccessGroup: nil).map(\.uid) == (signedIn ? ["x"] : []))
        try app.auth.useUserAccessGroup(nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents().items == before.items)
        try app.auth.signOut()
        #expect(app.announcements() == (signedIn ? .both(nil) : []))
    }

    @Test("When the keyring locks later, the last known state stays")
    func locksLater() async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        let app = try TestApp(world, observesOtherProcesses: true)
        let user = try await app.signIn("x")
        _ = app.heard(4)
        let before = try world.contents()
        try keyring.lock()
        expectFailure(.keyringLocked) { try app.auth.signOut() }
        await expectFailure(.keyringLocked) {
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        #expect(app.auth.currentUser === user)
        #expect(app.identity.refreshes == 0)
        try keyring.restartDaemon()
        #expect(try world.contents() == before)
        #expect(app.announcements().isEmpty)
        try app.auth.signOut()
        #expect(app.announcements() == .both(nil))
    }
}

/// Holds an app's first call to the keyring until the test releases it.
private final class HeldCall: Sendable {
    private let isFirst = Mutex(true)
    private let held = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    var interceptor: CallInterceptor {
        CallInterceptor { [self] _, _ in
            let holds = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if holds {
                held.signal()
                released.wait()
            }
            return nil
        }
    }

    func waitUntilHeld() { held.wait() }
    func release() { released.signal() }
}
