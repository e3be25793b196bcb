import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Apps that keep their group choice in several directories.
extension MeddledMigrationTests {
    @Test("An app that chose a third slot in one directory is left unchanged in all of them")
    func thirdSlot() throws {
        let given = "\(place.root)-given"
        defer { try? FileManager.default.removeItem(atPath: given) }
        try put(account("x"), in: .own)
        try choose(.own)
        try choose(Self.third, in: given)
        let migration = try migration(given: [given])
        for outcomes in [try migration.preview(try migration.plan(for: .named([Self.mail]))), try perform(migration)] {
            #expect(outcomes.map(\.kind) == [.conflict])
            #expect(
                outcomes.first?.error?.message
                    == "\(Self.mail) uses access group group.example.third by its stored choice in "
                    + "\(given)/\(Self.mail)/p/default.json."
            )
        }
        #expect(try journal().read() == GroupChoice())
        #expect(try journal(given).read() == GroupChoice(slot: Self.third))
        #expect(try record(.own).accounts.map(\.uid) == ["x"])
        #expect(try record(.group(Self.group)).isEmpty)
    }

    @Test("A third slot chosen meanwhile in one directory restores the choice in the other")
    func thirdSlotMeanwhile() throws {
        let given = "\(place.root)-given"
        defer { try? FileManager.default.removeItem(atPath: given) }
        try put(account("x"), in: .own)
        try choose(.own)
        try choose(.own, in: given)
        let (slots, journal) = (try slots(), journal(given))
        store.before(.update, of: try slots.key(.own)) { [deadline] _ in
            // The copy exists already.
            _ = try? journal.change(by: deadline) { $0.slot = Self.third }
        }
        #expect(try perform(try migration(given: [given])).map(\.kind) == [.conflict])
        #expect(try self.journal().read() == GroupChoice())
        #expect(try journal.read() == GroupChoice(slot: Self.third))
        #expect(try record(.own).accounts.map(\.uid) == ["x"])
        #expect(try record(.group(Self.group)).isEmpty)
    }

    private static let third = Slot.group("group.example.third")

    /// Stores a choice, also that of the app's own slot, which otherwise has no file.
    private func choose(_ slot: Slot, in directory: String? = nil) throws {
        for slot in [Self.third, slot] { try journal(directory).change(by: deadline) { $0.slot = slot } }
    }

    @Test("An app's move writes its unused sandbox directory, but a group's move does not")
    func sandboxPlace() throws {
        let home = "\(place.root)-home"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let sandbox = "\(home)/.var/app/\(Self.mail)/.local/state/sharedauth"
        try FileManager.default.createDirectory(
            atPath: "\(home)/.var/app/\(Self.mail)",
            withIntermediateDirectories: true
        )
        try put(account("x"), in: .group(Self.group))
        try journal().change(by: deadline) { $0.slot = .group(Self.group) }
        let merge = try UserMigration(
            from: Self.group,
            to: "group.example.b",
            project: "p",
            store: .custom(store),
            stateDirectories: StateDirectories(own: place.root, home: home, given: [])
        )
        #expect(try perform(merge).map(\.kind) == [.moved])
        #expect(try journal().read() == GroupChoice(slot: .group("group.example.b")))
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox)/\(Self.mail)/p/default.json"))
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox)/\(Self.mail)/p/default.steps"))

        try journal().change(by: deadline) { $0.slot = .own }
        try put(account("y"), in: .own)
        #expect(try perform(try migration(home: home)).map(\.kind) == [.moved])
        for journal in [journal(), journal(sandbox)] {
            #expect(try journal.read() == GroupChoice(slot: .group(Self.group)))
        }
    }
}
