import EncryptedFiles
import FoundationEssentials
import SecretService
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth

/// Machines that share a home: each has its own keyring, and all have one state directory.
struct SharedHomeTests {
    /// One of the machines, with its keyring.
    struct Machine {
        let name: MachineName?
        let app: MemoryApp<InMemoryRecordStore>

        init(_ id: UInt8?, daemon: String? = nil) {
            name = id.map { MachineName(of: [$0]) }
            app = MemoryApp(on: FaultInjectingStore(daemon: daemon))
        }

        /// Starts the app in a process on this machine.
        func start(in directory: String) throws -> Auth {
            try app.start { options in
                (options.machine, options.stateDirectory) = (name, directory)
            }
        }

        func journal(in directory: String) -> Journal {
            Journal(in: Folder(directory), appID: app.id, project: "p", instance: "default", machine: name)
        }
    }

    private let directory = TestDirectory.newPath()
    private let one = Machine(1)
    private let two = Machine(2)
    /// The files as versions wrote them that named no machine.
    private var former: Journal { Machine(nil).journal(in: directory) }

    private func names() throws -> [String] {
        try FilePlace.names(in: "\(directory)/\(one.app.id)/p").filter { !$0.hasSuffix(".lock") }.sorted()
    }

    private var twosName: String { "default@\(MachineName(of: [2]).text)" }

    @Test("A migration on one machine leaves the user of another machine alone")
    func migration() async throws {
        try one.app.put("ada", in: .own)
        try two.app.put("bob", in: .own)
        let before = try two.start(in: directory)
        #expect(before.shown == Shown("bob", in: .own))
        let auth = try one.start(in: directory)
        try await auth.migrateCurrentUser(toAccessGroup: one.app.group)
        #expect(auth.shown == Shown("ada", in: .shared))
        #expect(try two.start(in: directory).shown == Shown("bob", in: .own))
        #expect(try one.start(in: directory).shown == Shown("ada", in: .shared))
        #expect(try two.app.users(in: .own) == ["bob"])
    }

    @Test("The machine that has the user takes a former journal over", arguments: [true, false])
    func former(isOwnersTurn: Bool) throws {
        try one.app.put("ada", in: .shared)
        try two.app.put("bob", in: .own)
        try former.change { $0.slot = .shared }
        let bytes = try Data(contentsOf: URL(filePath: "\(directory)/\(one.app.id)/p/default.json"))
        let shown = { (machine: Machine) in try machine.start(in: directory).shown }
        if isOwnersTurn { #expect(try shown(one) == Shown("ada", in: .shared)) }
        for _ in 1...2 { #expect(try shown(two) == Shown("bob", in: .own)) }
        for _ in 1...2 { #expect(try shown(one) == Shown("ada", in: .shared)) }
        #expect(try names() == ["default.json", "default.machine", "\(twosName).json"])
        #expect(try Data(contentsOf: URL(filePath: "\(directory)/\(one.app.id)/p/default.json")) == bytes)
        #expect(try former.read().slot == .shared)
    }

    @Test("A machine does not end the unfinished step of another one")
    func step() throws {
        let step = GroupChoice.Pending.deletion(of: .own, revision: Revision(counter: 7, nonce: 7))
        try one.app.put("ada", in: .shared)
        try two.app.put("bob", in: .own)
        try one.journal(in: directory).change { choice in
            choice.slot = .shared
            choice.begin(step)
        }
        #expect(try two.start(in: directory).shown == Shown("bob", in: .own))
        #expect(try one.journal(in: directory).read().steps == [step])
    }

    @Test("The keyring that keeps a user on one machine says nothing about another machine")
    func keeper() throws {
        let (one, two) = (Machine(1, daemon: "gnome-keyring-daemon"), Machine(2, daemon: "kwalletd6"))
        try one.app.put("ada", in: .own)
        let auth = try one.start(in: directory)
        #expect(auth.shown == Shown("ada", in: .own))
        one.journal(in: directory).noteKeeper(.gnomeKeyring, of: .own, by: .patient)
        let other = try two.start(in: directory)
        #expect(other.currentUser == nil)
        guard case .signedOut = other.state else { return #expect(Bool(false), "\(other.state)") }
        #expect(try two.journal(in: directory).keepers(of: .own).isEmpty)
        #expect(try one.journal(in: directory).keepers(of: .own) == [.gnomeKeyring])
    }

    @Test("A move from outside judges an app by the choice on its own machine")
    func outside() throws {
        try one.app.put("ada", in: .shared)
        try two.app.put("bob", in: .own)
        try one.journal(in: directory).change { $0.slot = .elsewhere }
        let place = UserMigration.AppPlace(
            id: two.app.id,
            slots: two.app.slots,
            journals: [two.journal(in: directory)]
        )
        #expect(try place.looked(by: .patient).chosenSlot(from: .own, to: .shared) == .atSource)
        let change = ChoiceChange(from: .own, to: .shared, nonce: 1, of: ["bob"])
        let chosen = try place.choose(change, over: .slot(.own), in: 0, by: .patient)
        guard case .changed = chosen else { return #expect(Bool(false), "\(chosen)") }
        #expect(try two.journal(in: directory).read().slot == .shared)
        #expect(try one.journal(in: directory).read().slot == .elsewhere)
    }

    @Test("A machine that got another id goes on with its choice")
    func otherID() throws {
        try one.app.put("ada", in: .shared)
        let step = GroupChoice.Pending.migration(of: "zoe", from: .elsewhere, to: .own)
        try one.journal(in: directory).change { $0.slot = .shared }
        try one.journal(in: directory).noteBegun([step], by: .patient)
        let renamed = Machine(3)
        try renamed.app.put("ada", in: .shared)
        #expect(try renamed.start(in: directory).shown == Shown("ada", in: .shared))
        for machine in [one, renamed] {
            #expect(try machine.journal(in: directory).origin(by: .patient) == .own)
            #expect(try machine.journal(in: directory).read().slot == .shared)
        }
        #expect(try one.journal(in: directory).read().steps == [step])
    }

    @Test("A former journal stays as it is while the keyring is locked")
    func locked() throws {
        try two.app.put("bob", in: .own)
        try former.change { $0.slot = .shared }
        two.app.store.fail(as: .locked)
        let auth = try two.start(in: directory)
        #expect(auth.currentUser == nil)
        #expect(try names() == ["default.json"])
        two.app.store.mend()
        #expect(try two.start(in: directory).shown == Shown("bob", in: .own))
    }

    @Test("Without a machine id, the files are those of former versions")
    func noID() throws {
        let machine = Machine(nil)
        try machine.app.put("ada", in: .shared)
        try machine.journal(in: directory).change { $0.slot = .shared }
        #expect(try machine.start(in: directory).shown == Shown("ada", in: .shared))
        #expect(try !names().contains { $0.contains("machine") || $0.contains("@") })
    }

    @Test("A change made on a server is not overwritten by what the file system remembers")
    func staleAttributes() throws {
        try former.change { $0.slot = .shared }
        let folder = Folder("\(directory)/\(one.app.id)/p")
        let stamp = try folder.stamp(of: "default.json")
        // It goes on answering with the attributes of the file that it has seen.
        let stale = Journal(
            in: Folder(directory),
            appID: one.app.id,
            project: "p",
            instance: "default",
            machine: nil,
            stamp: { _, name throws(SystemError) in name == "default.json" ? stamp : nil },
            clock: { Date().addingTimeInterval(3600) }
        )
        #expect(try stale.read().slot == .shared)
        let step = GroupChoice.Pending.deletion(of: .own, revision: Revision(counter: 1, nonce: 1))
        try former.change { choice in
            choice.slot = .elsewhere
            choice.begin(step)
        }
        try stale.change { $0.remainingOriginals = [] }
        try stale.change { choice in if choice.slot == .shared { choice.slot = .own } }
        #expect(try former.read().slot == .elsewhere && former.read().steps == [step])
        try stale.change { $0.slot = .shared }
        #expect(try former.read().slot == .shared && former.read().steps == [step])
    }

    @Test("Processes on two machines keep to the choices of their machines")
    func processes() async throws {
        let place = try FilePlace()
        for uid in ["ada", "bob"] {
            await #expect(processExitsWith: .success) { [root = place.root as String, uid = uid as String] in
                let auth = try Self.auth(in: root, ofMachineWith: uid)
                _ = try await auth.signIn(withEmail: "person@example.com", password: "password")
            }
        }
        await #expect(processExitsWith: .success) { [root = place.root as String] in
            let auth = try Self.auth(in: root, ofMachineWith: "ada")
            try await auth.migrateCurrentUser(toAccessGroup: "group.example.a")
        }
        await #expect(processExitsWith: .success) { [root = place.root as String] in
            let auth = try Self.auth(in: root, ofMachineWith: "bob")
            #expect(auth.shown == Shown("bob", in: .own))
        }
        await #expect(processExitsWith: .success) { [root = place.root as String] in
            let auth = try Self.auth(in: root, ofMachineWith: "ada")
            #expect(auth.shown == Shown("ada", in: .shared))
        }
    }

    /// Starts the app on the machine of a user, whose keyring is a directory.
    private static func auth(in root: String, ofMachineWith uid: String) throws -> Auth {
        let identity = ScriptedIdentity()
        identity.expect(.scripted(uid))
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "p",
            identityProvider: identity.source,
            store: .custom(EncryptedFileRecordStore(directory: "\(root)/\(uid)", key: .keyFile("\(root)/key"))),
            stateDirectory: "\(root)/state",
            observesOtherProcesses: false
        )
        options.machine = MachineName(of: Array(uid.utf8))
        return Auth.auth(app: try AuthApp(unregistered: options))
    }
}

/// The files of a machine, and whose journal it takes over: decisions by what is there.
struct JournalShareTests {
    private static let (mine, other) = (MachineName(of: [1]), MachineName(of: [2]))

    @Test("A machine uses the files that are its own, or that nobody has")
    func files() {
        let own = "default@\(Self.mine.text)"
        for (finding, read, written, origin) in [
            (JournalShare.Finding(), "default", "default", JournalShare.Origin.own),
            (.init(hasFiles: true), "default", "default", .former),
            (.init(hasFiles: true, hasOwnFiles: true), own, own, .own),
            (.init(owner: Self.mine), "default", "default", .own),
            (.init(owner: Self.mine, hasFiles: true, hasOwnFiles: true), "default", "default", .own),
            (.init(owner: Self.other), own, own, .own),
            (.init(owner: Self.other, hasFiles: true), "default", own, .otherMachine),
            (.init(owner: Self.other, hasFiles: true, hasOwnFiles: true), own, own, .own),
        ] {
            let share = JournalShare(of: "default", on: Self.mine, finding)
            #expect(share.read == read && share.written == written && share.origin == origin, "\(finding)")
            #expect(share.isUnclaimed == (written == "default" && finding.owner == nil), "\(finding)")
            let nameless = JournalShare(of: "default", on: nil, finding)
            #expect(nameless.read == "default" && nameless.written == "default" && nameless.origin == .own)
        }
    }

    /// The contents of the machine's store.
    enum Held: CaseIterable { case nothing, chosen, own }

    @Test("The store decides whose journal it is", arguments: Held.allCases)
    func claims(_ held: Held) throws {
        let claim = { (origin: JournalShare.Origin, slot: Slot, isKept: Bool) in
            try JournalClaim(origin, chosen: slot, isKept: isKept) { asked in
                switch held {
                case .nothing: false
                case .chosen: asked == slot
                case .own: asked == .own
                }
            }
        }
        for isKept in [false, true] {
            #expect(try claim(.own, .shared, isKept) == .wait)
            for origin in [JournalShare.Origin.former, .otherMachine] {
                let isWaiting = origin == .former && isKept
                let ofGroup = try claim(origin, .shared, isKept)
                let ofOwn = try claim(origin, .own, isKept)
                switch held {
                case .chosen: #expect(ofGroup == .takeOver && ofOwn == .takeOver)
                case .own: #expect(ofGroup == .begin && ofOwn == .takeOver)
                case .nothing:
                    #expect(ofGroup == (isWaiting ? .wait : .takeOver))
                    #expect(ofOwn == (origin == .otherMachine ? .begin : isWaiting ? .wait : .takeOver))
                }
            }
        }
    }

    @Test("A name of a machine is read as it was written, and nothing else is")
    func names() {
        #expect(MachineName(reading: Array(Self.mine.text.utf8)) == Self.mine)
        #expect(Self.mine.text.count == 16 && Self.mine != Self.other)
        for text in ["", "0123", "0123456789abcdeg", "0123456789abcdef0", "{\"version\":2}    "] {
            #expect(MachineName(reading: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
