import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests the quirks of daemons, each with the scripted daemon.
struct QuirkTests {
    @Test("Creating and deleting work with a prompt that may complete twice", arguments: ["complete", "twice"])
    func promptCompletesTwice(_ outcome: String) throws {
        let bench = try Fake("prompts=\(outcome)").bench
        for text in ["one", "two"] {
            try bench.write(text)
            #expect(try bench.text() == text)
        }
        _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .delete }
        #expect(try bench.isEmpty)
        #expect(bench.calls.take().count { $0 == "Prompt" } == 3)
    }

    @Test("A dismissed prompt throws `dismissed` and changes nothing")
    func dismissedPrompt() throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("kept")
        try fake.tell("prompts=dismiss")
        for change in [RecordChange.write([1]), .delete] {
            let error = expectFailure(\RecordStoreError.code, .dismissed) {
                _ = try bench.store.update(bench.key, by: bench.deadline) { _ in change }
            }
            #expect(error?.outcomeIsUnknown == false)
            #expect(try bench.text() == "kept")
        }
    }

    @Test("A prompt that never completes ends at the deadline with an unknown outcome")
    func endlessPrompt()
        throws
    {
        // The bus name is that of a kind that survives a dismissal.
        let bench = try Fake("prompts=silent", "owning=org.kde.ksecretd").bench
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try bench.store.update(bench.key, by: .after(.milliseconds(300))) { _ in .write([1]) }
        }
        #expect(error?.outcomeIsUnknown == true)
        #expect(bench.calls.take().contains("Dismiss"))
    }

    @Test(
        "A call without a reply ends at its deadline",
        arguments: ["ReadAlias", "SearchItems", "GetSecrets", "OpenSession", "Get"]
    )
    func neverAnswered(_ method: String) throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("there")
        try fake.tell("silent=\(method)")
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try bench.otherStore().read(bench.key, by: .after(.milliseconds(300)))
        }
        #expect(error?.outcomeIsUnknown == false)
        // A store that knows the item and has a session does not make these calls.
        #expect(try bench.store.read(bench.key, by: bench.deadline).text == "there")
    }

    @Test(
        "The outcome is unknown if the daemon ends during a change",
        arguments: ["CreateItem", "Delete"]
    )
    func endsInChange(_ method: String) throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("before")
        try fake.tell("vanish=\(method)")
        let change = method == "Delete" ? RecordChange.delete : .write([1])
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try bench.store.update(bench.key, by: bench.deadline) { _ in change }
        }
        #expect(error?.outcomeIsUnknown == true)
        expectFailure(\RecordStoreError.code, .unavailable) {
            _ = try bench.store.read(bench.key, by: bench.deadline)
        }
    }

    @Test(
        "Error names of all daemons are mapped to a few codes",
        arguments: [
            ("org.freedesktop.Secret.Error.IsLocked", RecordStoreError.Code.locked),
            ("org.freedesktop.DBus.Error.AccessDenied", .denied),
            ("org.gnome.keyring.Error.Denied", .denied),
            ("org.freedesktop.DBus.Error.ServiceUnknown", .unavailable),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", .unavailable),
            ("org.freedesktop.DBus.Error.NoReply", .timedOut),
            ("org.example.NeverHeardOf", .failed),
        ]
    )
    func errorNames(
        _ name: String,
        _ code: RecordStoreError.Code
    ) throws {
        let bench = try Fake("error=SearchItems:\(name)").bench
        expectFailure(\RecordStoreError.code, code) {
            _ = try bench.store.read(bench.key, by: bench.deadline)
        }
    }

    @Test(
        "A missing item is searched for again, whatever the daemon's error name",
        arguments: [
            "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.Secret.Error.NoSuchObject",
        ]
    )
    func itemGone(_ name: String) throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("there")
        try fake.tell("error1=GetSecret:\(name)")
        #expect(try bench.store.read(bench.key, by: bench.deadline).text == "there")
    }

    @Test(
        "A session that the daemon has lost is opened again, without an error",
        arguments: ["org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.UnknownObject"]
    )
    func forgottenSession(_ name: String) throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("one")
        try fake.tell("error1=CreateItem:\(name)")
        try bench.write("two")
        #expect(try bench.text() == "two")
        #expect(bench.calls.take().count { $0 == "OpenSession" } == 2)
    }

    @Test("If one bad path fails all of GetSecrets, the items are read one by one")
    func oneBadPath() throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("there")
        try fake.tell("error=GetSecrets:org.freedesktop.DBus.Error.InvalidArgs")
        #expect(try bench.text() == "there")
    }

    @Test(
        "Every process selects the same duplicate, in any order of discovery",
        arguments: ["signals=1", "reversed"]
    )
    func duplicates(_ order: String) throws {
        let bench = try Fake("duplicating", order).bench
        let other = bench.otherStore()
        for text in ["one", "two", "three"] {
            try bench.write(text)
            try bench.write("\(text) more", through: other)
            #expect(try bench.text() == "\(text) more")
            #expect(try bench.store.read(bench.key, by: bench.deadline).text == "\(text) more")
        }
        #expect(try bench.items().count == 1)
    }

    @Test("An empty secret is damage, not a sign-out")
    func emptySecret() throws {
        let fake = try Fake()
        try fake.bench.write("there")
        try fake.tell("empty")
        guard case .empty = try fake.bench.read() else {
            Issue.record("not damaged")
            return
        }
    }

    @Test("An item that only its creator may read is locked for others until confirmed")
    func confirmedByPerson() throws {
        let bench = try Fake("confirming", "prompts=complete").bench
        try bench.write("there")
        let other = bench.otherStore()
        expectFailure(\RecordStoreError.code, .locked) {
            _ = try other.read(bench.key, by: bench.deadline)
        }
        try other.unlock(by: bench.deadline)
        #expect(try other.read(bench.key, by: bench.deadline).text == "there")
    }

    @Test("Sixteen simultaneous first calls open one session")
    func oneSession() async throws {
        let bench = try Fake().bench
        try bench.write("there", through: bench.otherStore())
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<16 {
                group.addTask { try? bench.store.read(bench.key, by: bench.deadline).text }
            }
            for await text in group { #expect(text == "there") }
        }
        #expect(bench.calls.take().count { $0 == "OpenSession" } == 1)
    }

    @Test("Without a default collection, the store is unavailable and creates none")
    func withoutDefaultCollection()
        throws
    {
        let keyring = try PrivateKeyring(state: .noDefaultCollection)
        defer { keyring.shutdown() }
        let bench = Bench(keyring)
        expectFailure(\RecordStoreError.code, .unavailable) {
            _ = try bench.store.read(bench.key, by: bench.deadline)
        }
        expectFailure(\RecordStoreError.code, .unavailable) {
            _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .write([1]) }
        }
        let calls = Set(bench.calls.take())
        #expect(calls.isDisjoint(with: ["CreateCollection", "CreateItem", "Prompt", "Unlock"]))
    }

    @Test("Labels and attributes contain nothing of a record's content")
    func noContentOutside() throws {
        let bench = try Fake().bench
        try bench.write("person@example.com")
        let item = try #require(try bench.items().first)
        let shown = try [item.label()] + item.attributes().flatMap { [$0.key, $0.value] }
        #expect(shown.allSatisfy { !$0.isEmpty && !$0.contains("person") })
        #expect(Set(try item.attributes().keys) == Set(bench.key.itemAttributes.keys))
    }
}
