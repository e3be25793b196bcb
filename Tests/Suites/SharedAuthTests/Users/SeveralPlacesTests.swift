import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Apps that keep their group choice in several directories.
extension MeddledMigrationTests {
    @Test("An app that chose a third slot in one directory is left unchanged in all of them")
    func thirdSlot() throws {
        let given = TestDirectory.newPath()
        try app.put("x", in: .own)
        try choose(.own)
        try choose(Self.third, in: given)
        let migration = try app.migration(given: [given])
        for outcomes in [try app.preview(migration), try app.perform(migration)] {
            #expect(outcomes.map(\.kind) == [.conflict])
            #expect(
                outcomes.first?.error?.message
                    == "\(app.id) uses access group group.example.third by its stored choice in "
                    + "\(given)/\(app.id)/p/default.json."
            )
        }
        #expect(try app.journal().read() == GroupChoice())
        #expect(try app.journal(in: given).read() == GroupChoice(slot: Self.third))
        #expect(try app.users(in: .own) == ["x"])
        #expect(try app.record(in: .shared).isEmpty)
    }

    @Test("A third slot chosen meanwhile in one directory restores the choice in the other")
    func thirdSlotMeanwhile() throws {
        let given = TestDirectory.newPath()
        try app.put("x", in: .own)
        try choose(.own)
        try choose(.own, in: given)
        // The copy exists already.
        app.before(.update, of: .own) { try app.journal(in: given).change { $0.slot = Self.third } }
        #expect(try app.perform(app.migration(given: [given])).map(\.kind) == [.conflict])
        #expect(try app.journal().read() == GroupChoice())
        #expect(try app.journal(in: given).read() == GroupChoice(slot: Self.third))
        #expect(try app.users(in: .own) == ["x"])
        #expect(try app.record(in: .shared).isEmpty)
    }

    private static let third = Slot.group("group.example.third")

    /// Stores a choice, also that of the app's own slot, which otherwise has no file.
    private func choose(_ slot: Slot, in directory: String? = nil) throws {
        for slot in [Self.third, slot] { try app.journal(in: directory).change { $0.slot = slot } }
    }

    @Test("An app's move writes its unused sandbox directory, but a group's move does not")
    func sandboxPlace() throws {
        let home = TestDirectory.newPath()
        let sandbox = "\(home)/.var/app/\(app.id)/.local/state/sharedauth"
        try FileManager.default.createDirectory(
            atPath: "\(home)/.var/app/\(app.id)",
            withIntermediateDirectories: true
        )
        try app.put("x", in: .shared)
        try app.choose(.shared)
        let merge = try app.migration(from: .shared, to: .elsewhere, home: home)
        #expect(try app.perform(merge).map(\.kind) == [.moved])
        #expect(try app.journal().read() == GroupChoice(slot: .elsewhere))
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox)/\(app.id)/p/default.json"))
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox)/\(app.id)/p/default.steps"))

        try app.choose(.own)
        try app.put("y", in: .own)
        #expect(try app.perform(app.migration(home: home)).map(\.kind) == [.moved])
        for journal in [app.journal(), app.journal(in: sandbox)] {
            #expect(try journal.read() == GroupChoice(slot: .shared))
        }
    }
}
