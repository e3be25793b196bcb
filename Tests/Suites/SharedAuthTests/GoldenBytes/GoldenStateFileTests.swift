import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// The files in an app's state directory.
struct GoldenStateFileTests {
    /// The choices that are checked in, with their files.
    static let choices = [
        // Those of versions that noted no moves.
        "group-choice/own.json": GroupChoice(moves: nil),
        "group-choice/group.json": GroupChoice(slot: .group("group.example.one"), moves: nil),
        "group-choice/deletion.json": GroupChoice(
            slot: .group("group.example.one"),
            moves: nil,
            pending: .deletion(of: .own, revision: Revision(counter: 7, nonce: 0xFEDC_BA98_7654_3210)),
            remainingOriginals: [
                GroupChoice.Original(
                    "user-1",
                    slot: .group("group.example.two"),
                    revision: Revision(counter: 1, nonce: 0)
                ),
                GroupChoice.Original(
                    "user-2",
                    slot: .own,
                    revision: Revision(counter: .max, nonce: .max)
                ),
            ]
        ),
        "group-choice/deletion-users.json": GroupChoice(
            slot: .group("group.example.one"),
            moves: nil,
            pending: .deletion(
                of: .own,
                revision: Revision(counter: 7, nonce: 0xFEDC_BA98_7654_3210),
                accounts: ["user-1", "user-2"]
            )
        ),
        "group-choice/migration.json": GroupChoice(
            slot: .own,
            moves: nil,
            pending: .migration(of: "user-1", to: .group("group.example.one"))
        ),
        "group-choice/migration-taken-back.json": GroupChoice(
            slot: .group("group.example.one"),
            pending: .migration(of: "user-1", from: .group("group.example.one"), to: .own, session: "1f8a")
        ),
        // A switch by hand, and a migration after another one.
        "group-choice/switched.json": GroupChoice(slot: .group("group.example.one")),
        "group-choice/moved.json": GroupChoice(
            slot: .group("group.example.two"),
            moves: [
                GroupChoice.Move(
                    from: .own,
                    to: .group("group.example.one"),
                    accounts: [
                        AccountID(uid: "user-1", issuer: "https://issuer.example"),
                        AccountID(uid: "user-2", issuer: nil),
                    ],
                    nonce: 0xFEDC_BA98_7654_3210
                ),
                GroupChoice.Move(
                    from: .group("group.example.one"),
                    to: .group("group.example.two"),
                    accounts: [],
                    nonce: 1
                ),
            ],
            pending: .migration(of: "user-1", from: .group("group.example.two"), to: .own)
        ),
    ]

    private let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    private func file(_ directory: String) -> Journal {
        Journal(in: Folder(directory), appID: "com.example.Mail", project: "project", instance: "default")
    }

    private func put(_ choice: GroupChoice) throws {
        // An unchanged choice is not written.
        try file(place.root).change(by: .patient) { $0.slot = .group("group.example.other") }
        try file(place.root).change(by: .patient) { $0 = choice }
    }

    private var path: String { "\(place.root)/com.example.Mail/project/default" }

    @Test("The golden group choice reads as the choice it was written from", arguments: choices.keys.sorted())
    func readsChoice(name: String) throws {
        // A write makes the file and its directories. Its bytes are then replaced by the golden ones.
        try put(GroupChoice(slot: .group("group.example.other")))
        try place.put(GoldenBytes.read(name), at: "\(path).json")
        #expect(try file(place.root).read(by: .patient) == Self.choices[name])
    }

    @Test("The same group choice is written as the golden file", arguments: choices.keys.sorted())
    func writesChoice(name: String) throws {
        try put(#require(Self.choices[name]))
        try GoldenBytes.expect(place.bytes("\(path).json"), equalFile: name)
    }

    @Test(
        "A truncated or newer choice is reported, not read, and stays as it is",
        arguments: ["group-choice/truncated.json", "group-choice/newer.json"]
    )
    func refuses(name: String) throws {
        try put(GroupChoice(slot: .group("group.example.other")))
        try place.put(GoldenBytes.read(name), at: "\(path).json")
        let error = expectFailure(.stateDirectoryUnusable) { _ = try file(place.root).read(by: .patient) }
        #expect(error?.message.contains("\(path).json") == true)
        expectFailure(.stateDirectoryUnusable) { try file(place.root).change(by: .patient) { $0.slot = .own } }
        try GoldenBytes.expect(place.bytes("\(path).json"), equalFile: name)
    }

    @Test("The name of the machine with the files is written and read as in the golden file")
    func machine() throws {
        let journal = { (id: ClosedRange<UInt8>) in
            Journal(
                in: Folder(place.root),
                appID: "com.example.Mail",
                project: "project",
                instance: "default",
                machine: MachineName(of: Array(id))
            )
        }
        try journal(0...15).change(by: .patient) { $0.slot = .group("group.example.one") }
        try GoldenBytes.expect(place.bytes("\(path).machine"), equalFile: "journal.machine")
        try place.put(GoldenBytes.read("journal.machine"), at: "\(path).machine")
        #expect(try journal(0...15).origin(by: .patient) == .own)
        #expect(try journal(1...16).origin(by: .patient) == .otherMachine)
        // What is no name, as after a power failure, names no machine.
        for bytes in [[], Array("0123".utf8), Array("{\"version\":2}".utf8)] {
            try place.put(bytes, at: "\(path).machine")
            #expect(try journal(0...15).origin(by: .patient) == .former)
            #expect(try journal(1...16).read(by: .patient).slot == .group("group.example.one"))
        }
    }

    @Test(
        "A running process follows a choice without moves only to its own user",
        arguments: ["group-choice/group.json", "group-choice/switched.json"],
        [true, false]
    )
    func withoutReason(name: String, isThere: Bool) throws {
        let (app, group) = (MemoryApp(), Slot.group("group.example.one"))
        let auth = try app.start(with: "ada")
        try app.choose(.elsewhere)
        try app.put(isThere ? "ada" : "bob", in: group)
        try app.empty(.own)
        try place.put(GoldenBytes.read(name), at: "\(app.directory)/\(app.id)/p/default.json")
        _ = auth.engine.rereadSlot()
        let follows = isThere && name == "group-choice/group.json"
        #expect(auth.shown == (follows ? Shown("ada", in: group) : Shown(nil, in: .own)))
    }

    @Test("The golden list of keyring programs reads as it was written")
    func readsPrograms() throws {
        try put(GroupChoice())
        try place.put(GoldenBytes.read("keyring-programs.providers"), at: "\(path).providers")
        let journal = file(place.root)
        #expect(try journal.keepers(of: .own) == [.gnomeKeyring])
        #expect(try journal.keepers(of: .group("group.example.one")) == [.kWallet, .keePassXC])
        #expect(try journal.keepers(of: .group("group.example.two")) == [])
    }

    @Test("The same keyring programs are written as the golden file")
    func writesPrograms() throws {
        try GoldenBytes.expect(noteKeepers(in: file(place.root)), equalFile: "keyring-programs.providers")
    }

    @Test("Keyring programs of unknown kind are written and read as the golden file")
    func otherPrograms() throws {
        let journal = file(place.root)
        _ = try noteKeepers(in: journal)
        for slot in [Slot.own, .group("group.example.three")] {
            journal.noteKeeper(.other("example-keyring"), of: slot, by: .patient)
        }
        try GoldenBytes.expect(place.bytes("\(path).providers"), equalFile: "keyring-programs-others.providers")
        try place.put(GoldenBytes.read("keyring-programs-others.providers"), at: "\(path).providers")
        #expect(try journal.keepers(of: .own) == [.gnomeKeyring, .other("example-keyring")])
        #expect(try journal.keepers(of: .group("group.example.one")) == [.kWallet, .keePassXC])
        #expect(try journal.keepers(of: .group("group.example.three")) == [.other("example-keyring")])
    }

    /// Notes the keepers that the golden file lists.
    private func noteKeepers(in journal: Journal) throws -> [UInt8] {
        journal.noteKeeper(.gnomeKeyring, of: .own, by: .patient)
        journal.noteKeeper(.kWallet, of: .group("group.example.one"), by: .patient)
        journal.noteKeeper(.keePassXC, of: .group("group.example.one"), by: .patient)
        journal.noteKeeper(.kWallet, of: .group("group.example.two"), by: .patient)
        journal.clearKeepers(of: .group("group.example.two"), by: .patient)
        return try place.bytes("\(path).providers")
    }
}
