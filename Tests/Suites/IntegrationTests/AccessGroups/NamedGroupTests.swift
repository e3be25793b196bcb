import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the access group that an app's options name.
struct NamedGroupTests {
    static let group = "group.example.named"
    static let other = "group.example.other"
    static let mail = "com.example.Mail"

    private func app(
        _ world: AppFixture,
        policy: OwnUserPolicy = .clear,
        group: String = group,
        observes: Bool = true,
        identity: ScriptedIdentity = ScriptedIdentity(),
        interceptor: CallInterceptor? = nil
    ) throws -> TestApp {
        try TestApp(world, identity: identity, observesOtherProcesses: observes, interceptor: interceptor) {
            $0.accessGroup = group
            $0.ownUserPolicy = policy
        }
    }

    private func choice(_ world: AppFixture) throws -> String? { try world.journal(Self.mail).read().slot.groupName }

    // MARK: Keyrings that cannot be read at first

    /// The keyring at the first start of an app.
    enum FirstKeyring: CaseIterable {
        case locked, absent, withoutBus

        func begin(_ keyring: PrivateKeyring) throws {
            switch self {
            case .locked: try keyring.restartDaemon(unlocked: false)
            case .absent: try keyring.killDaemon()
            case .withoutBus: keyring.killBus()
            }
        }

        func end(_ keyring: PrivateKeyring) throws {
            switch self {
            case .locked: try keyring.restartDaemon()
            case .absent: try keyring.startDaemon(unlocked: true)
            case .withoutBus:
                try keyring.startBus()
                try keyring.startDaemon(unlocked: true)
            }
        }
    }

    @Test(
        "A first start shows the group's user once the keyring can be read, and never a sign-out before",
        arguments: FirstKeyring.allCases,
        OwnUserPolicy.allCases
    )
    func firstStart(_ first: FirstKeyring, _ policy: OwnUserPolicy) async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await world.put("own", into: nil)
        try await world.put("x", into: Self.group)
        try first.begin(keyring)

        let app = try app(world, policy: policy)
        switch (first, await app.auth.ready()) {
        case (.locked, .locked), (.absent, .unavailable), (.withoutBus, .unavailable): break
        case (_, let state): Issue.record("\(state)")
        }
        #expect(app.auth.userAccessGroup == Self.group)
        #expect(app.auth.currentUser == nil && app.announcements().isEmpty)
        #expect(try choice(world) == nil)

        try first.end(keyring)
        #expect(app.heard(2) == .both("x"))
        app.auth.waitUntilIdle()
        #expect(app.auth.userAccessGroup == Self.group)
        #expect(try choice(world) == Self.group)
        #expect(try world.uids(nil) == (policy == .clear ? [] : ["own"]))
        #expect(try world.uids(Self.group) == ["x"])
        // The next sign-in is stored in the group, where the next start finds it.
        try await app.signIn("y")
        #expect(try world.uids(Self.group) == ["y"])
        #expect(try self.app(world).auth.currentUser?.uid == "y")
        #expect(try world.uids(Self.group) == ["y"])
    }

    @Test("Without observation, a process is in its group, and unlock() shows its user")
    func shortLived() async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await world.put("x", into: Self.group)
        try keyring.restartDaemon(unlocked: false)
        let app = try app(world, observes: false)
        guard case .locked = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        #expect(app.auth.userAccessGroup == Self.group)
        try keyring.restartDaemon()
        try await app.auth.unlock()
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.announcements() == .both("x"))
        #expect(try choice(world) == Self.group)
    }

    /// Choices that earlier starts of the app, with other options, may have left.
    static let earlier: [GroupChoice?] = [
        nil, GroupChoice(moves: nil), GroupChoice(slot: .group(other), moves: nil),
        GroupChoice(slot: .group(other), moves: [leaving]),
    ]

    static let leaving = GroupChoice.Move(
        from: .group(group),
        to: .group(other),
        accounts: [AccountID(uid: "z", issuer: nil)],
        nonce: 1
    )

    @Test("A sign-in before the group is read again is stored in the group", arguments: earlier)
    func signInFirst(_ earlier: GroupChoice?) async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        if let earlier { try world.journal(Self.mail).change(by: .patient) { $0 = earlier } }
        try keyring.restartDaemon(unlocked: false)
        let app = try app(world, observes: false)
        guard case .locked = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        try keyring.restartDaemon()
        try await app.signIn("y")
        #expect(app.auth.userAccessGroup == Self.group)
        #expect(try world.uids(Self.group) == ["y"] && world.uids(nil).isEmpty)
        _ = app.auth.engine.rereadSlot()
        #expect(app.auth.userAccessGroup == Self.group && app.auth.currentUser?.uid == "y")
        #expect(try choice(world) == Self.group)
    }

    @Test("A state that no user is known in says the present reason")
    func changingReasons() async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await world.put("x", into: Self.group)
        try keyring.killDaemon()
        let app = try app(world)
        guard case .unavailable = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        try keyring.startDaemon(unlocked: false)
        app.auth.waitUntilIdle()
        _ = app.auth.engine.rereadSlot()
        guard case .locked = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        try keyring.restartDaemon()
        #expect(app.heard(2) == .both("x"))
    }

    // MARK: The user in the app's own slot

    /// What the slots hold after the first start.
    struct Row: Sendable, CustomTestStringConvertible {
        let policy: OwnUserPolicy
        let own: String?
        let inGroup: String?
        let ownAfter: [String]
        let groupAfter: [String]

        var testDescription: String {
            "\(policy), \(own ?? "nobody") in own, \(inGroup ?? "nobody") in the group"
        }
    }

    static let rows = OwnUserPolicy.allCases.flatMap { policy in
        [
            Row(policy: policy, own: nil, inGroup: nil, ownAfter: [], groupAfter: []),
            Row(policy: policy, own: nil, inGroup: "x", ownAfter: [], groupAfter: ["x"]),
            Row(
                policy: policy,
                own: "own",
                inGroup: nil,
                ownAfter: policy == .keep ? ["own"] : [],
                groupAfter: policy == .migrate ? ["own"] : []
            ),
            Row(
                policy: policy,
                own: "own",
                inGroup: "x",
                ownAfter: policy == .clear ? [] : ["own"],
                groupAfter: ["x"]
            ),
        ]
    }

    @Test("The policy decides once about the user in the app's own slot", arguments: rows, [true, false])
    func policies(_ row: Row, observes: Bool) async throws {
        let world = try AppFixture()
        if let own = row.own { try await world.put(own, into: nil) }
        if let uid = row.inGroup { try await world.put(uid, into: Self.group) }
        let identity = ScriptedIdentity()
        let app = try app(world, policy: row.policy, observes: observes, identity: identity)
        #expect(app.auth.currentUser?.uid == row.groupAfter.first)
        #expect(app.announcements() == .both(row.groupAfter.first))
        app.auth.waitUntilIdle()
        #expect(try world.uids(nil) == row.ownAfter)
        #expect(try world.uids(Self.group) == row.groupAfter)
        #expect(try choice(world) == Self.group)
        // Later starts read the group alone.
        try await world.put("later", into: nil)
        let again = try self.app(world, policy: row.policy, observes: observes)
        #expect(again.auth.currentUser?.uid == row.groupAfter.first)
        #expect(try world.uids(nil).first == "later")
    }

    @Test("A user with a tenant is restored, as from a stored choice")
    func tenant() async throws {
        let world = try AppFixture()
        try await world.put("x", into: Self.group, tenantID: "t")
        let app = try app(world)
        #expect(app.auth.currentUser?.uid == "x" && app.auth.tenantID == "t")
        #expect(app.announcements() == .both("x"))
    }

    @Test("A record of the own slot that cannot be read stays in place", arguments: OwnUserPolicy.allCases)
    func damagedOwnSlot(_ policy: OwnUserPolicy) async throws {
        let world = try AppFixture()
        try await world.put("x", into: Self.group)
        try world.plant(Array("no record".utf8), in: try world.key(nil))
        let app = try app(world, policy: policy)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(try choice(world) == Self.group)
        expectFailure(.recordDamaged) { _ = try world.uids(nil) }
    }

    @Test("A damaged group is the state until a sign-in; the own user stays until then")
    func damagedGroup() async throws {
        let world = try AppFixture()
        try await world.put("own", into: nil)
        try world.plant(Array("no record".utf8), in: try world.key(Self.group))
        let app = try app(world)
        guard case .damaged = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        #expect(app.auth.userAccessGroup == Self.group)
        #expect(try world.uids(nil) == ["own"])
        try await app.signIn("y")
        #expect(try world.uids(Self.group) == ["y"])
        _ = app.auth.engine.rereadSlot()
        #expect(try world.uids(nil).isEmpty && choice(world) == Self.group)
    }

    // MARK: Choices and calls

    @Test(
        "The option takes precedence over a stored choice, and nobody is signed out",
        arguments: OwnUserPolicy.allCases
    )
    func precedence(_ policy: OwnUserPolicy) async throws {
        let world = try AppFixture()
        try await world.put("own", into: nil)
        try await world.put("x", into: Self.group)
        try await world.put("z", into: Self.other)
        try world.choose(Self.other, appID: Self.mail)
        let app = try app(world, policy: policy)
        #expect(app.auth.currentUser?.uid == "x" && app.auth.userAccessGroup == Self.group)
        #expect(app.announcements() == .both("x"))
        #expect(try choice(world) == Self.group)
        #expect(try world.uids(nil) == ["own"] && world.uids(Self.other) == ["z"])
    }

    @Test(
        "A damaged or impossible choice is replaced, and the own user stays",
        arguments: [
            "nonsense", #"{"slot":{"group":{"_0":"no group"}},"version":1}"#,
        ]
    )
    func damagedChoice(text: String) async throws {
        let world = try AppFixture()
        try await world.put("own", into: nil)
        try await world.put("x", into: Self.group)
        try world.choose(Self.other, appID: Self.mail)
        let path = try #require(world.journal(Self.mail).path)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        // Without the option, the choice is damaged, and choosing heals it.
        let plain = try TestApp(world)
        guard case .unavailable(let error) = await plain.auth.ready() else {
            Issue.record("\(plain.auth.state)"); return
        }
        #expect(error.code == .stateDirectoryUnusable && error.message.contains(path))
        let app = try app(world)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(try choice(world) == Self.group && world.uids(nil) == ["own"])
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try plain.auth.useUserAccessGroup(Self.group)
        #expect(try choice(world) == Self.group)
    }

    @Test("Calls switch this process, and the next start is in the group again")
    func calls() async throws {
        let world = try AppFixture()
        try await world.put("x", into: Self.group)
        let app = try app(world)
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.auth.currentUser?.uid == "x")
        try app.auth.useUserAccessGroup(nil)
        #expect(app.auth.currentUser == nil && app.auth.userAccessGroup == nil)
        try await app.signIn("own")
        let again = try self.app(world, policy: .keep)
        #expect(again.auth.currentUser?.uid == "x")
        #expect(app.auth.userAccessGroup == nil && app.auth.currentUser?.uid == "own")
    }

    @Test("A call before the group can be read decides instead of the option")
    func callWhileLocked() async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await world.put("own", into: nil)
        try keyring.restartDaemon(unlocked: false)
        let app = try app(world)
        guard case .locked = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        expectFailure(.keyringLocked) { try app.auth.useUserAccessGroup(Self.group) }
        expectFailure(.keyringLocked) { try app.auth.useUserAccessGroup(nil) }
        #expect(app.auth.userAccessGroup == Self.group)
        try keyring.restartDaemon()
        try app.auth.useUserAccessGroup(nil)
        #expect(app.auth.currentUser?.uid == "own")
        app.auth.waitUntilIdle()
        #expect(app.auth.userAccessGroup == nil)
        #expect(try world.uids(nil) == ["own"])
    }

    @Test("Processes of one app with different options are each in their group")
    func differentOptions() async throws {
        let world = try AppFixture()
        try await world.put("x", into: Self.group)
        try await world.put("z", into: Self.other)
        let first = try await PeerProcess.started(
            world,
            appID: Self.mail,
            observes: true,
            options: ["--access-group", Self.group]
        )
        let second = try await PeerProcess.started(
            world,
            appID: Self.mail,
            observes: true,
            options: ["--access-group", Self.other]
        )
        try await second.obey("sign-out")
        let seen = try await first.obey("current")
        #expect(seen.group == Self.group && seen.uid == "x")
        try await first.obey("sign-in y 1")
        #expect(try await second.obey("current").group == Self.other)
        #expect(try world.uids(Self.group) == ["y"] && world.uids(Self.other).isEmpty)
        #expect(try choice(world) == Self.other)
    }

    @Test("configure() refuses a group in the options that the app may not use")
    func refused() throws {
        func options(_ group: String, teamID: String? = nil, declared: [String] = []) -> AuthApp.Options {
            AuthApp.Options(
                appID: Self.mail,
                teamID: teamID,
                accessGroup: group,
                accessGroups: declared,
                store: .inMemory()
            )
        }
        expectFailure(.invalidAccessGroup) { _ = try AuthApp(unregistered: options("office")) }
        expectFailure(.invalidAccessGroup) { _ = try AuthApp(unregistered: options("")) }
        expectFailure(.accessGroupNotDeclared) {
            _ = try AuthApp(unregistered: options(Self.group, declared: [Self.other]))
        }
        expectFailure(.accessGroupNotDeclared) {
            _ = try AuthApp(unregistered: options("ABC.example.a", teamID: "DEF"))
        }
        let app = try AuthApp(unregistered: options(Self.group, declared: [Self.other, Self.group]))
        #expect(Auth.auth(app: app).userAccessGroup == Self.group)
    }

    @Test(
        "The group's user is shown although the choice cannot be stored; a later read stores it",
        arguments: OwnUserPolicy.allCases
    )
    func unwritableChoice(_ policy: OwnUserPolicy) async throws {
        let world = try AppFixture()
        try await world.put("own", into: nil)
        try await world.put("x", into: Self.group)
        let hold = try world.journal(Self.mail).hold(by: .patient)
        let app = try TestApp(world, observesOtherProcesses: true, timeout: .seconds(5)) {
            $0.accessGroup = Self.group
            $0.ownUserPolicy = policy
        }
        let state = await app.auth.ready()
        // After the release, the app's own look at the group may store the choice.
        #expect(try world.uids(nil) == ["own"] && choice(world) == nil)
        hold.release()
        guard case .signedIn = state else { Issue.record("\(state)"); return }
        _ = app.auth.engine.rereadSlot()
        #expect(try choice(world) == Self.group && world.uids(nil).isEmpty == (policy == .clear))
    }

    @Test("A user who moves with the app while its group is read is found in the group")
    func movedBefore() async throws {
        let world = try AppFixture()
        try await world.put("x", into: Self.group)
        try world.choose(Self.group, appID: Self.mail)
        let app = try app(world)
        #expect(app.auth.currentUser?.uid == "x")
        // A migration of the group applies to the running app, and the option to its next start.
        try world.migrate(.named([Self.mail]), from: Self.group, to: Self.other)
        _ = app.auth.engine.rereadSlot()
        #expect(app.auth.currentUser?.uid == "x" && app.auth.userAccessGroup == Self.other)
        let again = try self.app(world)
        #expect(again.auth.currentUser == nil && again.auth.userAccessGroup == Self.group)
    }
}
