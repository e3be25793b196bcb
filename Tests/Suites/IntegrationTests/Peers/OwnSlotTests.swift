import Foundation
import TestSupport
import Testing

@testable import SharedAuth

/// Tests several processes of one app: each acts on its own slot, and follows migrations only.
struct OwnSlotTests {
    static let mail = "com.example.Mail"
    static let (a, b, c, d) = ("group.example.a", "group.example.b", "group.example.c", "group.example.d")

    /// What happens between the start of the first process, in group a with `eve`, and its call.
    enum Meanwhile: CaseIterable {
        /// The second process switches by hand to group b, where `bob` works.
        case switched
        /// The second process, or a tool, migrates `eve` to group c.
        case migrated, migratedByTool
        /// The second process migrates `eve` to group c, and signs her out there.
        case migratedAndSignedOut
        /// The second process signs `fay` in, or `eve` out.
        case signedIn, signedOut
        /// The app's state directory is removed.
        case removed

        /// The group of the first process afterwards.
        var home: String { [.migrated, .migratedByTool, .migratedAndSignedOut].contains(self) ? c : a }
    }

    /// A call of the first process, which still shows `eve`.
    enum Call: CaseIterable {
        case signOut, signOutTwice, signIn, signInAnonymously, update, switchUser
        case rename, refresh, reload, useGroup, migrate

        var commands: [String] {
            switch self {
            case .signOut: ["sign-out"]
            case .signOutTwice: ["sign-out", "sign-out"]
            case .signIn: ["sign-in gus 1"]
            case .signInAnonymously: ["sign-in-anonymously nobody 1"]
            case .update: ["put-back"]
            case .switchUser: ["switch-user eve"]
            case .rename: ["rename Eve"]
            case .refresh: ["refresh"]
            case .reload: ["reload"]
            case .useGroup: ["use-group \(d)"]
            case .migrate: ["migrate \(d) fail"]
            }
        }
    }

    /// The users in the groups, and the group of the first process.
    struct End: Equatable {
        var home: [String]
        var d: [String] = []
        var group: String
    }

    static func end(of call: Call, after meanwhile: Meanwhile) -> End {
        let present =
            switch meanwhile {
            case .switched, .migrated, .migratedByTool, .removed: ["eve"]
            case .signedIn: ["fay"]
            case .signedOut, .migratedAndSignedOut: [String]()
            }
        let home = meanwhile.home
        return switch call {
        // The first sign-out does not end the session of fay, whom this process has not shown yet.
        case .signOut: End(home: present.filter { $0 != "eve" }, group: home)
        case .signOutTwice: End(home: [], group: home)
        case .signIn: End(home: ["gus"], group: home)
        case .signInAnonymously: End(home: ["nobody"], group: home)
        case .update: End(home: ["eve"], group: home)
        // No user is found, so the process stays.
        case .switchUser where meanwhile == .migratedAndSignedOut: End(home: [], group: a)
        case .switchUser, .rename, .refresh, .reload: End(home: present, group: home)
        case .useGroup: End(home: present, group: d)
        case .migrate: present.isEmpty ? End(home: [], group: home) : End(home: [], d: present, group: d)
        }
    }

    @Test(
        "A call acts on the slot of its process, whatever another process of the app did",
        arguments: Meanwhile.allCases,
        Call.allCases
    )
    func acts(_ meanwhile: Meanwhile, _ call: Call) async throws {
        let world = try AppFixture()
        try world.put(world.account("eve"), in: Self.a, appID: Self.mail)
        try world.put(world.account("bob"), in: Self.b, appID: Self.mail)
        try world.choose(Self.a, appID: Self.mail)
        let first = try await PeerProcess.started(world, appID: Self.mail)
        try await first.obey("keep")
        let second = try await PeerProcess.started(world, appID: Self.mail)
        var third: PeerProcess?
        switch meanwhile {
        case .switched:
            try await second.obey("use-group \(Self.b)")
            third = try await PeerProcess.started(world, appID: Self.mail, observes: true)
        case .migrated: try await second.obey("migrate \(Self.c) fail")
        case .migratedAndSignedOut:
            try await second.obey("migrate \(Self.c) fail")
            try await second.obey("sign-out")
        case .migratedByTool:
            #expect(try world.migrate(.named([Self.mail]), from: Self.a, to: Self.c).map(\.kind) == [.moved])
        case .signedIn: try await second.obey("sign-in fay 1")
        case .signedOut: try await second.obey("sign-out")
        case .removed: try FileManager.default.removeItem(atPath: "\(world.state)/\(Self.mail)")
        }

        for command in call.commands { _ = try? await first.obey(command) }

        let present = try await first.obey("current")
        let home = meanwhile.home
        let found = End(
            home: try world.uids(home),
            d: try world.uids(Self.d),
            group: try #require(present.group)
        )
        #expect(found == Self.end(of: call, after: meanwhile))
        // Without observation, a call that finds no such user shows nobody else.
        if call != .switchUser || present.uid != "eve" {
            #expect(present.uid == (present.group == Self.d ? found.d : found.home).first)
        }
        // Nobody else's session has ended.
        #expect(try world.uids(Self.b) == ["bob"])
        for other in [third, meanwhile == .switched ? second : nil].compactMap(\.self) {
            let shown = try await other.obey("current")
            #expect(shown.group == Self.b && shown.uid == "bob")
        }
    }

    @Test("A process that hears of a switch by hand keeps its group and its user's session")
    func hears() async throws {
        let world = try AppFixture()
        try world.put(world.account("eve"), in: nil, appID: Self.mail)
        try world.put(world.account("bob"), in: Self.b, appID: Self.mail)
        let first = try await PeerProcess.started(world, appID: Self.mail, observes: true)
        try await first.obey("listen")
        _ = try await first.event("state", "eve")
        let second = try await PeerProcess.started(world, appID: Self.mail)
        // As in Firebase, this deletes the user in the app's own slot, which both processes share.
        try await second.obey("use-group \(Self.b)")
        let heard = try await first.inbox.first("the sign-out") { $0.event == "state" && $0.uid != "eve" }
        #expect(heard.uid == nil)
        for _ in 1...2 { try await first.obey("sign-out") }
        let signedIn = try await first.obey("sign-in gus 1")
        #expect(signedIn.group == nil && signedIn.uid == "gus")
        #expect(try world.uids(Self.b) == ["bob"] && world.uids(nil) == ["gus"])
    }

    @Test("A process follows its users through several migrations, though another one switched by hand")
    func chain() async throws {
        let world = try AppFixture()
        try world.put(world.account("eve"), in: Self.a, appID: Self.mail)
        try world.put(world.account("bob"), in: Self.b, appID: Self.mail)
        try world.choose(Self.a, appID: Self.mail)
        let first = try await PeerProcess.started(world, appID: Self.mail)
        let second = try await PeerProcess.started(world, appID: Self.mail)
        try await second.obey("migrate \(Self.c) fail")
        try await second.obey("migrate \(Self.d) fail")
        try await second.obey("use-group \(Self.b)")
        let renamed = try await first.obey("rename Eve")
        #expect(renamed.group == Self.d && renamed.uid == "eve")
        #expect(try world.uids(Self.d) == ["eve"] && world.uids(Self.b) == ["bob"])
        // Its own move counts from now on, and those before it no longer do.
        try await first.obey("use-group \(Self.a)")
        try await first.obey("sign-in gus 1")
        let present = try await first.obey("rename Gus")
        #expect(present.group == Self.a && present.uid == "gus")
    }

    @Test("The sign-out of a user who could not be saved ends no session that a peer has begun since")
    func unsavedSignsOut() async throws {
        let world = try AppFixture()
        let fault = Fault()
        try world.put(world.account("eve"), in: Self.a, appID: Self.mail)
        try world.choose(Self.a, appID: Self.mail)
        let app = try TestApp(world, interceptor: fault.interceptor)
        let gus = User(world.account("gus"), auth: nil, slot: nil)
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { try await app.auth.updateCurrentUser(gus) }
        try world.put(world.account("fay"), in: Self.a, appID: Self.mail)
        try app.auth.signOut()
        #expect(try world.uids(Self.a).contains("fay"))
    }
}
