import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests every row of the table of `useUserAccessGroup` on a real keyring.
///
/// In the target, `x=` is the same user with the same token, `x~` the same user with another token.
struct SwitchTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int
        let from: String?
        let to: String?
        /// The uid of the current user before the switch.
        let current: String?
        /// The uid in the app's own slot; nil if it follows from `current`.
        var own: String?
        let target: String?
        let currentAfter: String?
        let ownAfter: String?
        let heard: [TestApp.Announcement]

        /// The row as the report shows it.
        var testDescription: String {
            func name(_ user: String?) -> String { user ?? "no user" }
            func slot(_ group: String?) -> String { group.map { String($0.suffix(1)) } ?? "own" }
            let before = "\(name(current)) in \(slot(from)) to \(slot(to)) with \(name(target))"
            let after = "\(name(currentAfter)) current, \(name(ownAfter)) in own"
            let calls = heard.isEmpty ? "silent" : heard.map { "\($0)" }.joined(separator: " ")
            return "row \(number): \(before): \(after), \(calls)"
        }
    }

    static let a = "group.example.a"
    static let b = "group.example.b"

    static let rows: [Row] = [
        Row(number: 1, from: nil, to: a, current: nil, target: nil, currentAfter: nil, ownAfter: nil, heard: []),
        Row(
            number: 2,
            from: nil,
            to: a,
            current: "x",
            target: nil,
            currentAfter: nil,
            ownAfter: nil,
            heard: .both(nil)
        ),
        Row(
            number: 3,
            from: nil,
            to: a,
            current: nil,
            target: "y",
            currentAfter: "y",
            ownAfter: nil,
            heard: .both("y")
        ),
        Row(
            number: 4,
            from: nil,
            to: a,
            current: "x",
            target: "y",
            currentAfter: "y",
            ownAfter: nil,
            heard: .both("y")
        ),
        Row(
            number: 5,
            from: nil,
            to: a,
            current: "x",
            target: "x~",
            currentAfter: "x",
            ownAfter: nil,
            heard: .token("x")
        ),
        Row(number: 6, from: nil, to: a, current: "x", target: "x=", currentAfter: "x", ownAfter: nil, heard: []),
        Row(
            number: 7,
            from: a,
            to: nil,
            current: "y",
            target: nil,
            currentAfter: nil,
            ownAfter: nil,
            heard: .both(nil)
        ),
        Row(
            number: 8,
            from: a,
            to: nil,
            current: "y",
            target: "x",
            currentAfter: "x",
            ownAfter: "x",
            heard: .both("x")
        ),
        Row(number: 9, from: a, to: nil, current: nil, target: nil, currentAfter: nil, ownAfter: nil, heard: []),
        Row(
            number: 10,
            from: a,
            to: b,
            current: "y",
            own: "o",
            target: nil,
            currentAfter: nil,
            ownAfter: "o",
            heard: .both(nil)
        ),
        Row(
            number: 11,
            from: a,
            to: b,
            current: "y",
            own: "o",
            target: "z",
            currentAfter: "z",
            ownAfter: "o",
            heard: .both("z")
        ),
        Row(
            number: 12,
            from: a,
            to: b,
            current: "y",
            own: "o",
            target: "y~",
            currentAfter: "y",
            ownAfter: "o",
            heard: .token("y")
        ),
        Row(
            number: 13,
            from: a,
            to: b,
            current: nil,
            own: "o",
            target: "z",
            currentAfter: "z",
            ownAfter: "o",
            heard: .both("z")
        ),
        Row(
            number: 14,
            from: a,
            to: b,
            current: nil,
            own: "o",
            target: nil,
            currentAfter: nil,
            ownAfter: "o",
            heard: []
        ),
        Row(number: 15, from: a, to: a, current: "y", target: "y=", currentAfter: "y", ownAfter: nil, heard: []),
        Row(
            number: 16,
            from: a,
            to: a,
            current: "y",
            target: "y~",
            currentAfter: "y",
            ownAfter: nil,
            heard: .token("y")
        ),
        Row(number: 17, from: a, to: a, current: "y", target: nil, currentAfter: nil, ownAfter: nil, heard: .both(nil)),
        Row(number: 18, from: a, to: a, current: "y", target: "z", currentAfter: "z", ownAfter: nil, heard: .both("z")),
        Row(number: 18, from: a, to: a, current: nil, target: "z", currentAfter: "z", ownAfter: nil, heard: .both("z")),
        Row(number: 19, from: nil, to: nil, current: "x", target: "x=", currentAfter: "x", ownAfter: "x", heard: []),
    ]

    @Test("Each switch has the result of its row in the table", arguments: rows)
    func row(_ row: Row) async throws {
        let world = try AppFixture()
        // This process does not observe peers, so that the announcements below come from the switch alone.
        let app = try TestApp(world)
        if let from = row.from { try app.auth.useUserAccessGroup(from) }
        if let current = row.current { try await app.signIn(current) }
        let before = app.auth.currentUser
        if let own = row.own { try await put(own, into: nil, world, like: before) }
        try await put(row.target, into: row.to, world, like: before)
        _ = app.announcements()

        try app.auth.useUserAccessGroup(row.to)

        #expect(app.auth.userAccessGroup == row.to)
        #expect(app.auth.currentUser?.uid == row.currentAfter)
        #expect(app.announcements() == row.heard)
        #expect(try app.stored(nil) == row.ownAfter)
        if row.to != nil { #expect(try app.stored(row.to) == row.currentAfter) }
        if let from = row.from, from != row.to { #expect(try app.stored(from) == row.current) }
        // One account stays one object; Firebase makes a new one (rows 6, 15 and 19 among others).
        if row.currentAfter != nil { #expect((app.auth.currentUser === before) == (row.currentAfter == row.current)) }
        // The choice is stored: another process of the app starts in it.
        let again = try TestApp(world)
        #expect(again.auth.userAccessGroup == row.to)
        #expect(again.auth.currentUser?.uid == row.currentAfter)
    }

    @Test("Of two processes of an app, the last to choose a group decides the next start")
    func twoProcesses() throws {
        let (one, other) = ("group.example.one", "group.example.two")
        let world = try AppFixture()
        let first = try TestApp(world)
        let second = try TestApp(world)
        try first.auth.useUserAccessGroup(one)
        try second.auth.useUserAccessGroup(other)
        #expect(try TestApp(world).auth.userAccessGroup == other)
        // The process calls it with the group that it already uses.
        try first.auth.useUserAccessGroup(one)
        #expect(try TestApp(world).auth.userAccessGroup == one)
    }

    @Test("A process's pending deletion does not restore its former choice")
    func otherChoice() throws {
        let (one, other) = ("group.example.one", "group.example.two")
        let (world, appID) = (try AppFixture(), "com.example.Mail")
        try world.put(world.account("x"), in: nil, appID: appID)
        let revision = try #require(try world.revision(nil, appID: appID))
        let choice = GroupChoice(slot: .group(one), pending: .deletion(of: .own, revision: revision))
        try world.journal(appID).change(by: .after(.seconds(20))) { $0 = choice }
        let fault = Fault()
        fault.fail("Delete")
        let first = try TestApp(world, interceptor: fault.interceptor)
        #expect(first.auth.userAccessGroup == one)
        #expect(fault.remaining == 0)
        let second = try TestApp(world)
        try second.auth.useUserAccessGroup(other)
        #expect(first.auth.engine.rereadSlot() == false)
        #expect(try first.stored(nil) == nil)
        #expect(try TestApp(world).auth.userAccessGroup == other)
    }

    /// Stores a user as another app would, or signs the slot out.
    private func put(_ user: String?, into group: String?, _ world: AppFixture, like current: User?) async throws {
        // The app's own slot belongs to the app id, a group's slot to every app; this app's own choice stays unchanged.
        var other = world
        other.state += "-other"
        let appID = group == nil ? "com.example.Mail" : "com.example.Peer"
        let peer = try TestApp(other, appID: appID, listens: false)
        try peer.auth.useUserAccessGroup(group)
        guard let user else { return try peer.auth.signOut() }
        if user.hasSuffix("="), let current {
            try await peer.auth.updateCurrentUser(User(current.snapshot, auth: nil, slot: nil))
        } else {
            try await peer.signIn(user.filter { $0.isLetter }, user.hasSuffix("~") ? "2" : "1")
        }
    }
}
