import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

struct ParsedRecordsTests {
    let own = RecordKey(scope: .app("com.example.Mail"), project: "p", instance: "default", kind: "user")
    let group = RecordKey(scope: .project, project: "p", instance: "default", kind: "user")

    @Test("A parsed record matches its payload, in any order and number of reads")
    func parsed() throws {
        let parsed = ParsedRecords()
        let records = ["a", "b"].map { UserRecord().signingIn(account($0)) }
        let payloads = try records.map { try $0.encoded() }
        for turn in [0, 0, 1, 1, 0] {
            #expect(try parsed.record(of: payloads[turn], in: own) == records[turn])
            #expect(try parsed.record(of: payloads[1 - turn], in: group) == records[1 - turn])
        }
        parsed.forget(own)
        #expect(try parsed.record(of: payloads[1], in: own) == records[1])
    }

    @Test("Damage is detected although the record before it is cached")
    func damage() throws {
        let parsed = ParsedRecords()
        let payload = try UserRecord().signingIn(account("a")).encoded()
        _ = try parsed.record(of: payload, in: own)
        #expect(throws: RecordFlaw.self) { try parsed.record(of: Array(payload.dropLast()), in: own) }
        #expect(try parsed.record(of: payload, in: own).current == "a")
    }

    @Test("A record parsed from its encoding equals the one that was encoded")
    func remembered() throws {
        let record = UserRecord().signingIn(account("a"))
        #expect(try UserRecord(decoding: record.encoded()) == record)
    }

    private func account(_ uid: String) -> Account {
        Account(
            profile: UserProfile(
                uid: uid,
                email: "\(uid)@example.com",
                displayName: "Ünïcode \u{1F600} \"quoted\"\n",
                photoURL: URL(string: "https://example.com/\(uid)?size=2&x=%20"),
                creationDate: Date(timeIntervalSince1970: 1_700_000_000.123_456),
                lastSignInDate: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
            ),
            tokens: UserTokens(
                idToken: "token of \(uid)",
                refreshToken: "refresh/\(uid)+=",
                expirationDate: Date(timeIntervalSince1970: 1_800_000_000.000_000_1)
            ),
            project: "default"
        )
    }
}
