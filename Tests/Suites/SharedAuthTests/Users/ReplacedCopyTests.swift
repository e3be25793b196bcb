import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Sign-ins that take the place of a copied session, at any time of its move.
struct ReplacedCopyTests {
    typealias App = MemoryApp<InMemoryRecordStore>

    let other = "com.example.Notes"

    // MARK: Parts

    private func app(isDurable: Bool) -> App {
        App(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: isDurable, countsRuns: true))
    }

    /// Puts a session into a group that two apps use.
    private func share(_ app: App) throws {
        try app.put(LeftCopyTests.session("x", of: app), in: .elsewhere)
        for id in [app.id, other] { try app.journal(of: id).change { $0.slot = .elsewhere } }
    }

    /// Moves both apps out of their group.
    private func run(_ app: App) throws -> [UserMigration.Outcome.Kind] {
        let migration = try app.migration(from: .elsewhere)
        return try migration.plan(for: .all).flatMap { migration.perform($0) }.map(\.kind)
    }

    /// Starts a process of a third app, which uses the group to which the others move.
    private func startResident(of app: App) throws -> Auth {
        let auth = try app.start {
            $0.appID = "com.example.Calendar"
            $0.accessGroups = [app.group]
            $0.store = .custom(app.store.base)
        }
        try auth.useUserAccessGroup(app.group)
        return auth
    }

    /// Signs another user in over the copy, and lets a process read the slot again.
    @Sendable private func replace(_ app: App, seenBy resident: Auth) throws {
        try app.put("y", in: .shared)
        #expect(resident.engine.rereadSlot() == false)
        #expect(resident.shown == Shown("y", in: .shared))
    }

    // MARK: Apps still use the original

    @Test("A sign-in over the copy of a move that then fails ends no session in the source", arguments: [false, true])
    func unchosen(isDurable: Bool) throws {
        let app = app(isDurable: isDurable)
        try share(app)
        let resident = try startResident(of: app)
        app.after(.update, of: .shared) { try replace(app, seenBy: resident) }
        #expect(try run(app) == [.conflict, .conflict])
        #expect(resident.engine.rereadSlot() == false)
        #expect(try app.users(in: .elsewhere) == ["x"] && app.users(in: .shared) == ["y"])
    }

    @Test("A sign-in over a user who is about to be copied ends no session in the source")
    func unchosenThere() throws {
        let app = app(isDurable: true)
        try share(app)
        try app.put(app.record(in: .elsewhere).accounts[0], in: .shared)
        let resident = try startResident(of: app)
        app.after(.update, of: .shared) { try replace(app, seenBy: resident) }
        #expect(try Set(run(app)) == [.conflict])
        #expect(try app.users(in: .elsewhere) == ["x"] && app.users(in: .shared) == ["y"])
    }

    @Test("A sign-in over the copy of a running app's move ends no session of the app", arguments: [false, true])
    func running(isDurable: Bool) throws {
        let app = app(isDurable: isDurable)
        let resident = try startResident(of: app)
        try app.put(LeftCopyTests.session("x", of: app), in: .own)
        let auth = try app.start()
        app.after(.update, of: .shared) { try replace(app, seenBy: resident) }
        expectFailure(.accessGroupOccupied) { try auth.migrateCurrentUser(toAccessGroup: app.group) }
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.users(in: .own) == ["x"])
    }

    @Test(
        "While one app cannot leave, a sign-in over the copy ends no session in the source",
        arguments: [false, true]
    )
    func unfinished(isDurable: Bool) throws {
        let app = app(isDurable: isDurable)
        let resident = try startResident(of: app)
        try share(app)
        try Data("damage".utf8).write(to: URL(filePath: #require(app.journal(of: other).path)))
        #expect(try run(app) == [.moved, .failed])
        try replace(app, seenBy: resident)
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try app.record(in: .shared).signedOut.isEmpty)
    }

    @Test("A sign-in over a former copy ends no session that has moved back")
    func movedBack() throws {
        let app = app(isDurable: false)
        try app.put(LeftCopyTests.session("x", of: app), in: .own)
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        #expect(try app.perform(app.migration(from: .shared, to: .own)).map(\.kind) == [.moved])
        try replace(app, seenBy: startResident(of: app))
        #expect(try app.users(in: .own) == ["x"])
    }

    // MARK: All apps have left the original

    /// When the other user signs in.
    enum Moment: CaseIterable {
        case beforeChoices, afterMove, afterRefresh
    }

    @Test("An original that all apps have left ends with its copy", arguments: Moment.allCases)
    func finished(_ moment: Moment) throws {
        let app = app(isDurable: false)
        let resident = try startResident(of: app)
        try share(app)
        if moment == .beforeChoices { app.before(.update, of: .elsewhere) { try app.put("y", in: .shared) } }
        #expect(try run(app) == [.moved, .moved])
        #expect(try app.users(in: .elsewhere) == ["x"])
        if moment == .afterRefresh { try LeftCopyTests.refresh("x", in: .elsewhere, of: app) }
        try replace(app, seenBy: resident)
        #expect(try app.record(in: .elsewhere).isEmpty)
        #expect(try app.record(in: .shared).signedOut.isEmpty)
    }

    @Test("An original whose copy may have been lost stays")
    func lost() throws {
        let app = app(isDurable: false)
        let resident = try startResident(of: app)
        try share(app)
        app.before(.update, of: .elsewhere) {
            app.store.restart()
            try app.empty(.shared)
        }
        #expect(try run(app) == [.moved, .moved])
        try replace(app, seenBy: resident)
        #expect(try app.users(in: .elsewhere) == ["x"])
    }

    @Test("Another run leaves the note that all apps have left the original")
    func again() throws {
        let app = app(isDurable: false)
        try share(app)
        _ = try run(app)
        let revision = try app.revision(of: .shared)
        #expect(try run(app) == [.alreadyThere, .alreadyThere])
        #expect(try app.revision(of: .shared) == revision)
    }

    @Test("The note that apps have left an original is stored only where it is set")
    func stored() throws {
        let names = [false, true].map {
            CopiedFrom(scope: "own", revision: Revision(counter: 1, nonce: 2)).noted(asLeft: $0)
        }
        let texts = try names.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        #expect(texts.map { $0.contains(#""isLeft":true"#) } == [false, true])
        #expect(texts.map { $0.contains("isLeft") } == [false, true])
        for (name, text) in zip(names, texts) {
            #expect(try JSONDecoder().decode(CopiedFrom.self, from: Data(text.utf8)) == name)
        }
    }
}
