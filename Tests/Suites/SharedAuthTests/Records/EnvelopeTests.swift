import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

struct EnvelopeTests {
    let key = RecordKey(scope: .app("com.example.Mail"), project: "p", instance: "default", kind: "user")
    let record = Record(payload: Array("{\"a\":1}".utf8), revision: Revision(counter: 7, nonce: 0xFEDC_BA98_7654_3210))

    func sealed() -> [UInt8] { Array(Envelope.seal(record, for: key).utf8) }

    @Test("A sealed record opens as it was")
    func roundTrip() throws {
        #expect(try Envelope.open(sealed(), for: key) == record)
    }

    @Test("The text is printable ASCII without braces")
    func isPrintable() {
        #expect(sealed().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") })
    }

    @Test("Every changed, missing or added byte is noticed")
    func noticesEveryByte() {
        let text = sealed()
        for place in text.indices {
            for bit in 0..<8 {
                var broken = text
                broken[place] ^= 1 << bit
                #expect((try? Envelope.open(broken, for: key)) == nil)
            }
            #expect((try? Envelope.open(Array(text.prefix(place)), for: key)) == nil)
        }
        #expect((try? Envelope.open(text + [UInt8(ascii: "A")], for: key)) == nil)
    }

    @Test("A record of another key is foreign")
    func otherKey() {
        for other in [
            RecordKey(scope: .app("com.example.Calendar"), project: "p", instance: "default", kind: "user"),
            RecordKey(scope: .project, project: "p", instance: "default", kind: "user"),
            RecordKey(scope: key.scope, project: "q", instance: "default", kind: "user"),
            RecordKey(scope: key.scope, project: "p", instance: "other", kind: "user"),
            RecordKey(scope: key.scope, project: "p", instance: "default", kind: "pass"),
        ] {
            #expect(throws: Envelope.Flaw.foreign) { try Envelope.open(sealed(), for: other) }
        }
    }

    @Test("A higher version of the envelope is newer, not damaged")
    func newerVersion() {
        #expect(throws: Envelope.Flaw.newer("its envelope is of version 2")) {
            try Envelope.open(Array("SharedAuth2.whatever".utf8), for: key)
        }
    }

    @Test("An empty text is damage")
    func empty() {
        #expect(throws: Envelope.Flaw.empty) { try Envelope.open([], for: key) }
    }

    @Test("The mark of a deletion is no record, and none without its revision")
    func deletion() throws {
        let text = Array(Envelope.sealDeletion(record.revision, of: key).utf8)
        #expect(throws: Envelope.Flaw.deleted(record.revision)) { try Envelope.open(text, for: key) }
        let other = RecordKey(scope: .app("com.example.Calendar"), project: "p", instance: "default", kind: "user")
        #expect(throws: Envelope.Flaw.foreign) { try Envelope.open(text, for: other) }
        for place in text.indices {
            do throws(Envelope.Flaw) {
                _ = try Envelope.open(Array(text.prefix(place)), for: key)
                Issue.record("\(place) bytes are a record")
            } catch {
                if case .deleted = error { Issue.record("\(place) bytes are a deletion") }
            }
        }
        let empty = Record(payload: [], revision: record.revision)
        #expect(try Envelope.open(Array(Envelope.seal(empty, for: key).utf8), for: key) == empty)
    }

    @Test("Every item carries attributes of the same names, whatever its key")
    func sameAttributes() {
        let names = [
            key, RecordKey(scope: .group("group.com.example"), project: "p", instance: "x", kind: "k"), key.setAside(9),
        ]
        .map { $0.queryAttributes.keys.sorted() }
        #expect(names.count == 3 && Set(names).count == 1)
    }
}
