import Testing

@testable import SharedAuthRecords

/// The changes that a store makes and those that it refuses. This is the last check, whatever its caller has checked.
struct RefusalTests {
    private static let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "test")
    private static let record = Record(payload: [1], revision: Revision(counter: 1, nonce: 1))

    private func refusal(_ change: RecordChange, of stored: StoredRecord) -> RecordStoreError.Code? {
        stored.refusal(of: change, of: Self.key)?.code
    }

    @Test("A record of a newer version is never replaced or deleted")
    func newer() {
        let stored = StoredRecord.newer("its version is 2")
        #expect(refusal(.keep, of: stored) == nil)
        for change in [RecordChange.write([2]), .delete, .replaceDamaged([2]), .removeDamaged] {
            #expect(refusal(change, of: stored) == .newerVersion)
        }
    }

    @Test("Damage is replaced and deleted only by a change that says so, unless it is empty")
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

    @Test("A whole or missing record accepts every change")
    func whole() {
        for stored in [StoredRecord.whole(Self.record), .none] {
            for change in [RecordChange.keep, .write([2]), .delete, .replaceDamaged([2]), .removeDamaged] {
                #expect(refusal(change, of: stored) == nil)
            }
        }
    }
}
