import Testing

@testable import SharedAuthRecords

/// Which changes a store makes of what it finds, and which it refuses: the last wall, whatever its caller has checked.
struct RefusalTests {
    private static let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "test")
    private static let record = Record(payload: [1], revision: Revision(counter: 1, nonce: 1))

    private func refusal(_ change: RecordChange, of stored: StoredRecord) -> RecordStoreError.Code? {
        stored.refusal(of: change, of: Self.key)?.code
    }

    @Test("What a newer version wrote is replaced and deleted by nobody")
    func newer() {
        let stored = StoredRecord.newer("its version is 2")
        #expect(refusal(.keep, of: stored) == nil)
        for change in [RecordChange.write([2]), .delete, .replaceDamaged([2]), .removeDamaged] {
            #expect(refusal(change, of: stored) == .newerVersion)
        }
    }

    @Test("Damage is replaced and deleted only by a change that says so, unless it holds no byte")
    func damaged() {
        let stored = StoredRecord.damaged("it is nonsense")
        for change in [RecordChange.write([2]), .delete] {
            #expect(refusal(change, of: stored) == .damaged)
            #expect(refusal(change, of: .empty) == nil)
        }
        for change in [RecordChange.keep, .replaceDamaged([2]), .removeDamaged] {
            #expect(refusal(change, of: stored) == nil)
            #expect(refusal(change, of: .empty) == nil)
        }
    }

    @Test("A whole record, or none, may be changed in every way")
    func whole() {
        for stored in [StoredRecord.whole(Self.record), .none] {
            for change in [RecordChange.keep, .write([2]), .delete, .replaceDamaged([2]), .removeDamaged] {
                #expect(refusal(change, of: stored) == nil)
            }
        }
    }
}
