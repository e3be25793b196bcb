import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests two apps with separate connections: each announces the other's changes.
struct PeersHearTests {
    static let group = "group.example.peers"

    private func pair(_ store: StoreKind) throws -> (mail: TestApp, calendar: TestApp) {
        let world = try AppFixture(on: store)
        let identity = ScriptedIdentity()
        let mail = try TestApp(world, appID: "com.example.Mail", identity: identity, observesOtherProcesses: true)
        let calendar = try TestApp(
            world,
            appID: "com.example.Calendar",
            identity: identity,
            observesOtherProcesses: true
        )
        for app in [mail, calendar] {
            try app.auth.useUserAccessGroup(Self.group)
            // The listeners' first calls: no user is signed in.
            #expect(app.heard(2) == .both(nil))
        }
        return (mail, calendar)
    }

    @Test(
        "Sign-in, switch and sign-out are announced in the other app, once in the first",
        arguments: StoreKind.allCases
    )
    func signInAndOut(store: StoreKind) async throws {
        let (mail, calendar) = try pair(store)
        try await mail.signIn("x")
        #expect(calendar.heard(2) == .both("x"))
        #expect(calendar.auth.currentUser?.uid == "x")
        try await calendar.signIn("y")
        #expect(mail.heard(4) == .both("x", "y"))
        try mail.auth.signOut()
        #expect(calendar.heard(4) == .both("y", nil))
        #expect(calendar.auth.currentUser == nil)
        // When a peer's later write is announced, signals of the app's own writes have been processed.
        try await calendar.signIn("z")
        #expect(mail.heard(4) == .both(nil, "z"))
    }

    @Test(
        "A refreshed token reaches only the peer's user and its ID token listeners",
        arguments: StoreKind.allCases
    )
    func refresh(store: StoreKind) async throws {
        let (mail, calendar) = try pair(store)
        let user = try await mail.signIn("x")
        _ = calendar.heard(2)
        let theirs = try #require(calendar.auth.currentUser)
        let token = try await user.getIDToken(forcingRefresh: true)
        #expect(calendar.heard(1) == .token("x"))
        #expect(calendar.auth.currentUser === theirs)
        #expect(try await theirs.getIDToken() == token)
        #expect(mail.identity.refreshes == 1)
    }

    @Test(
        "A changed profile reaches the peer's user, unannounced",
        arguments: StoreKind.allCases
    )
    func profile(store: StoreKind) async throws {
        let (mail, calendar) = try pair(store)
        let user = try await mail.signIn("x")
        _ = calendar.heard(2)
        let theirs = try #require(calendar.auth.currentUser)
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await request.commitChanges()
        // The later refresh of the token shows that the profile change has arrived.
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(calendar.heard(1) == .token("x"))
        #expect(theirs.displayName == "Ada")
    }

    @Test(
        "Of a burst, states current when read are announced in order, the last always",
        arguments: StoreKind.allCases
    )
    func burst(store: StoreKind) async throws {
        let (mail, calendar) = try pair(store)
        for number in 1...30 { try await mail.signIn("user\(number)") }
        let heard = calendar.heard { $0.last == .init(kind: "token", uid: "user30") }.filter { $0.kind == "state" }
        let numbers = heard.compactMap { $0.uid.flatMap { Int($0.dropFirst(4)) } }
        #expect(numbers.last == 30)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    }

    @Test("Both sequences deliver the values that listeners are called with", arguments: StoreKind.allCases)
    func sequences(store: StoreKind) async throws {
        let (mail, calendar) = try pair(store)
        var states = calendar.auth.authStateChanges.makeAsyncIterator()
        var tokens = calendar.auth.idTokenChanges.makeAsyncIterator()
        #expect(await states.next() == .some(nil))
        #expect(await tokens.next() == .some(nil))
        let user = try await mail.signIn("x")
        #expect(await states.next()??.uid == "x")
        #expect(await tokens.next()??.uid == "x")
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(await tokens.next()??.uid == "x")
        try mail.auth.signOut()
        #expect(await states.next() == .some(nil))
        #expect(await tokens.next() == .some(nil))
    }

    @Test("A group that was left is no longer observed, the one joined is", arguments: StoreKind.allCases)
    func switching(store: StoreKind) async throws {
        let (mail, calendar) = try pair(store)
        try calendar.auth.useUserAccessGroup("group.example.other")
        try await mail.signIn("x")
        try mail.auth.useUserAccessGroup("group.example.other")
        try await mail.signIn("y")
        #expect(calendar.heard(2) == .both("y"))
    }
}

/// Tests a peer's changes while an app switches groups.
struct NewsDuringSwitchTests {
    private static let group = "group.example.left"
    private static let target = "group.example.entered"

    @Test("A sign-in during a switch is announced, and so is the next one")
    func heard() async throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.group, appID: "")
        try world.put(world.account("y"), in: Self.target, appID: "")
        let isSwitching = Mutex(false)
        let app = try TestApp(
            world,
            observesOtherProcesses: true,
            interceptor: CallInterceptor { call, proceed in
                let isRead = isSwitching.withLock { isSwitching in
                    guard isSwitching, call.member == "GetSecret" else { return false }
                    isSwitching = false
                    return true
                }
                guard isRead else { return nil }
                _ = proceed()
                do { try world.put(world.account("z"), in: Self.target, appID: "") } catch { Issue.record(error) }
                return nil
            }
        )
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.heard { $0.contains(.init(kind: "token", uid: "x")) }.contains(.init(kind: "state", uid: "x")))
        // Once an event is received, the watch has begun; then the location of the target's record is read.
        try world.put(world.account("w"), in: Self.group, appID: "")
        #expect(app.heard(2) == .both("w"))
        #expect(try app.stored(Self.target) == "y")

        isSwitching.withLock { $0 = true }
        try app.auth.useUserAccessGroup(Self.target)
        #expect(app.heard(4) == .both("y", "z"))
        #expect(app.auth.currentUser?.uid == "z")
        try world.put(world.account("v"), in: Self.target, appID: "")
        #expect(app.heard(2) == .both("v"))
        // No event arrives from the group that was left.
        try world.put(world.account("u"), in: Self.group, appID: "")
        try world.put(world.account("t"), in: Self.target, appID: "")
        #expect(app.heard(2) == .both("t"))
    }
}
