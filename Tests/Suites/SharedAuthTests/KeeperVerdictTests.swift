import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests what is noted of the daemon and the collection that keep a user, and what an empty keyring means then.
struct KeeperVerdictTests {
    @Test(
        "What an empty result means follows from the noted daemons and collection",
        arguments: [
            ([], nil, nil, .trusted), ([.gnomeKeyring], .gnomeKeyring, nil, .trusted),
            ([.gnomeKeyring], nil, nil, .trusted),
            ([.gnomeKeyring], .kWallet, nil, .otherDaemon), ([.gnomeKeyring, .kWallet], .kWallet, nil, .trusted),
            ([.gnomeKeyring], .gnomeKeyring, .present, .trusted), ([.gnomeKeyring], .kWallet, .present, .trusted),
            ([.gnomeKeyring], .gnomeKeyring, .locked, .locked), ([], nil, .locked, .locked),
            ([.gnomeKeyring], .gnomeKeyring, .absent, .otherCollection), ([], nil, .absent, .otherCollection),
            ([.gnomeKeyring], .kWallet, .absent, .otherDaemon),
            ([.gnomeKeyring, .kWallet], .kWallet, .absent, .otherCollection),
        ] as [([KeyringDaemon.Kind], KeyringDaemon.Kind?, CollectionPresence?, KeeperVerdict)]
    )
    func verdict(
        _ keepers: [KeyringDaemon.Kind],
        _ present: KeyringDaemon.Kind?,
        _ collection: CollectionPresence?,
        _ verdict: KeeperVerdict
    ) {
        #expect(KeeperVerdict(keepers: keepers, present: present, collection: collection) == verdict)
    }

    @Test("The collection that last had the user is noted, and a sign-out drops it")
    func noted() throws {
        let journal = Journal(in: Folder(TestDirectory.newPath()), appID: "a.b", project: "p", instance: "default")
        let (one, two) = (CollectionMark(1), CollectionMark(2))
        journal.noteKeeper(.gnomeKeyring, of: .own, in: .marked(one), by: .patient)
        #expect(try journal.collection(of: .own, by: .patient) == one)
        journal.noteKeeper(.gnomeKeyring, of: .own, in: .marked(two), by: .patient)
        #expect(try journal.collection(of: .own, by: .patient) == two)
        #expect(journal.knowsKeeper(of: .own, in: .unknown, by: .patient))
        #expect(journal.knowsKeeper(of: .own, in: .marked(two), by: .patient))
        #expect(!journal.knowsKeeper(of: .own, in: .marked(one), by: .patient))
        #expect(!journal.knowsKeeper(of: .own, in: .unmarked, by: .patient))
        journal.noteKeeper(.gnomeKeyring, of: .own, by: .patient)
        #expect(try journal.collection(of: .own, by: .patient) == two)
        journal.noteKeeper(.gnomeKeyring, of: .own, in: .unmarked, by: .patient)
        #expect(try journal.collection(of: .own, by: .patient) == nil)
        #expect(journal.knowsKeeper(of: .own, in: .unmarked, by: .patient))
        journal.noteMoved(to: .own, keptBy: .gnomeKeyring, leaving: nil, by: .patient)
        #expect(try journal.collection(of: .own, by: .patient) == nil)
        journal.noteKeeper(nil, of: .own, in: .marked(one), by: .patient)
        journal.clearKeepers(of: .own, by: .patient)
        #expect(try journal.collection(of: .own, by: .patient) == nil)
        #expect(try journal.keepers(of: .own, by: .patient).isEmpty)
    }

    @Test(
        "A mark is 16 digits; anything else in a file or record counts as missing",
        arguments: ["", "x", "0123456789abcdeg"]
    )
    func malformed(text: String) throws {
        #expect(CollectionMark(text) == nil)
        #expect(CollectionMark(CollectionMark(.max).text) == CollectionMark(.max))
        #expect(CollectionMark(5).text.utf8.count == 16)
        let file = #"{"version":1,"providers":{"":["keepassxc"]},"collections":{"":"\#(text)"}}"#
        let notes = KeeperNotes(decoding: Array(file.utf8))
        #expect(notes.collection(of: "") == nil && notes[""] == [.keePassXC])
        for origin in [#""\#(text)""#, "[]", "null", #"{"collection":"\#(text)","machine":7}"#] {
            let record = try UserRecord(decoding: Array(#"{"version":1,"accounts":[],"origin":\#(origin)}"#.utf8))
            #expect(record.origin == UserRecord.Origin())
        }
    }

    @Test(
        "A record without a mark drops the noted collection only if that is gone",
        arguments: [CollectionPresence?.some(.present), .some(.locked), .some(.absent), nil]
    )
    func unmarked(_ presence: CollectionPresence?) throws {
        let journal = Journal(in: Folder(TestDirectory.newPath()), appID: "a.b", project: "p", instance: "default")
        let store = MarkedStore(presence)
        let slots = UserSlots(store: store, appID: "a.b", project: "p", instance: "default")
        let reader = SlotReader(slots: slots, journal: journal, observesOtherProcesses: true)
        let mark = CollectionMark(1)
        reader.note(.add, of: .own, in: .marked(mark), by: .patient)
        for note in [SessionState.KeeperNote.add, .addIfNone] {
            reader.note(note, of: .own, in: .unmarked, by: .patient)
        }
        #expect(try journal.collection(of: .own, by: .patient) == (presence == .absent ? nil : mark))
    }
}

/// A store with one collection in this state; nil if the daemon does not tell.
private struct MarkedStore: ForwardingRecordStore, CollectionMarking {
    let base = InMemoryRecordStore()
    private let presence: CollectionPresence?

    init(_ presence: CollectionPresence?) { self.presence = presence }

    func mark(for key: RecordKey, by deadline: Deadline) -> CollectionMark { CollectionMark(1) }

    func keep(_ mark: CollectionMark, of key: RecordKey, by deadline: Deadline) -> () -> Void { {} }

    func presence(of mark: CollectionMark, by deadline: Deadline) throws(RecordStoreError) -> CollectionPresence {
        guard let presence else { throw RecordStoreError(.unavailable, "The test does not answer.") }
        return presence
    }

    func traces(by deadline: Deadline) -> CollectionTraces { CollectionTraces() }
}
