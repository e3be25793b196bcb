import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Moves of several apps from one group to another, which other processes meddle with.
struct GroupMoveTests {
    let app = MemoryApp(issuer: nil)
    let other = "com.example.Notes"

    /// Puts a user into a group that both apps use.
    private func share(_ uid: String) throws {
        try app.put(uid, in: .elsewhere)
        try choose(.elsewhere, for: app.id, other)
    }

    private func choose(_ slot: Slot, for appIDs: String...) throws {
        for id in appIDs { try app.journal(of: id).change { $0.slot = slot } }
    }

    private func slots() throws -> [Slot] { try [app.id, other].map { try app.journal(of: $0).read().slot } }

    @Test("No app moves to a group of another user, though that user signs out meanwhile")
    func occupied() throws {
        try share("x")
        try app.put("z", in: .shared)
        app.after(.update, of: .shared) { try app.empty(.shared) }
        let migration = try app.migration(from: .elsewhere)
        let outcomes = try migration.plan(for: .all).flatMap { migration.perform($0) }
        #expect(outcomes.map(\.kind) == [.conflict, .conflict])
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try app.users(in: .shared).isEmpty)
        #expect(try slots() == [.elsewhere, .elsewhere])
    }

    /// What keeps a move of both apps from being finished.
    enum Obstacle: CaseIterable {
        case damagedChoice, death
    }

    @Test("A sign-out after an unfinished move ends the session in both groups", arguments: Obstacle.allCases)
    func unfinished(_ obstacle: Obstacle) throws {
        try share("x")
        let migration = try app.migration(from: .elsewhere)
        switch obstacle {
        case .damagedChoice:
            let path = try #require(app.journal(of: other).path)
            try Data("damage".utf8).write(to: URL(filePath: path))
            #expect(try migration.plan(for: .all).flatMap { migration.perform($0) }.map(\.kind) == [.moved, .failed])
        case .death:
            let steps = try migration.plan(for: .all)
            // The choice of the first app is still stored.
            app.after(.read, of: .shared) {
                try choose(.shared, for: app.id)
                app.store.fail(as: .unavailable)
            }
            _ = steps.flatMap { migration.perform($0) }
            app.store.mend()
        }
        #expect(try app.users(in: .elsewhere) == ["x"] && app.users(in: .shared) == ["x"])
        let auth = try app.start()
        #expect(auth.shown == Shown("x", in: .shared))
        try auth.signOut()
        #expect(try app.record(in: .elsewhere).isEmpty && app.record(in: .shared).isEmpty)
    }

    /// A moment of a move at which an app chooses another slot.
    enum Moment: CaseIterable {
        case beforeLook, afterCopy
    }

    @Test("An app that leaves the group meanwhile leaves no session behind in it", arguments: Moment.allCases)
    func leaving(_ moment: Moment) throws {
        try share("x")
        let migration = try app.migration(from: .elsewhere)
        let steps = try migration.plan(for: .all)
        switch moment {
        case .beforeLook: try choose(.own, for: app.id)
        case .afterCopy: app.before(.update, of: .elsewhere) { try choose(.own, for: app.id) }
        }
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.conflict, .moved])
        #expect(try app.users(in: .elsewhere).isEmpty)
        #expect(try app.users(in: .shared) == ["x"])
        #expect(try slots() == [.own, .shared])
    }

    @Test("If all apps leave the group meanwhile, its user stays there", arguments: Moment.allCases)
    func allLeaving(_ moment: Moment) throws {
        try share("x")
        let migration = try app.migration(from: .elsewhere)
        let steps = try migration.plan(for: .all)
        switch moment {
        case .beforeLook: try choose(.own, for: app.id, other)
        case .afterCopy: app.before(.update, of: .elsewhere) { try choose(.own, for: app.id, other) }
        }
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.conflict, .conflict])
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try app.users(in: .shared).isEmpty)
        #expect(try slots() == [.own, .own])
    }

    @Test("An app that returns to the group meanwhile keeps its user there", arguments: [true, false])
    func returning(isMoving: Bool) throws {
        try share("x")
        try choose(.own, for: app.id)
        let migration = try app.migration(from: .elsewhere)
        let steps = try migration.plan(for: .named([app.id, other]))
        app.after(.read, of: .shared) {
            try app.journal().change { choice in
                if isMoving {
                    choice.begin(.migration(of: "x", from: .own, to: .elsewhere))
                } else {
                    choice.slot = .elsewhere
                }
            }
        }
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.conflict, .moved])
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try app.journal(of: other).read().hasDeletions == false)
    }

    @Test("If the last app leaves the group meanwhile, another notes what is left", arguments: [Slot.own, .shared])
    func lastLeaves(to slot: Slot) throws {
        try share("x")
        let migration = try app.migration(from: .elsewhere)
        let steps = try migration.plan(for: .all)
        let noted = Recorder<[GroupChoice.Pending]>()
        app.before(.update, of: .elsewhere) { try choose(slot, for: other) }
        app.before(.deletion, of: .elsewhere) { noted.record(try app.journal().read().steps) }
        #expect(steps.flatMap { migration.perform($0) }.first?.kind == .moved)
        #expect(noted.events.map(\.count) == [1])
        #expect(try app.users(in: .elsewhere).isEmpty)
        #expect(try app.journal().read().steps.isEmpty)
    }

    @Test("If a store may forget, another app deletes the last one's user")
    func lastLeavesForgetful() throws {
        let app = MemoryApp(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: false), issuer: nil)
        try app.put("x", in: .elsewhere)
        for id in [app.id, other] { try app.journal(of: id).change { $0.slot = .elsewhere } }
        let migration = try app.migration(from: .elsewhere)
        let steps = try migration.plan(for: .all)
        app.before(.update, of: .elsewhere) { try app.journal(of: other).change { $0.slot = .own } }
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.moved, .conflict])
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try app.start().shown == Shown("x", in: .shared))
        #expect(try app.users(in: .elsewhere).isEmpty)
    }
}
