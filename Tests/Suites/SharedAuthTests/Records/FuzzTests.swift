import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// A hundred thousand broken records. The seed is printed; set `seed` to it to repeat a run.
struct FuzzTests {
    static let rounds = 50_000
    static let seed = UInt64.random(in: .min ... .max)

    let key = RecordKey(scope: .app("com.example.Mail"), project: "p", instance: "default", kind: "user")

    @Test("No changed envelope opens, except as the record that was sealed")
    func envelopes() {
        print("seed \(Self.seed)")
        var random = SeededRandom(seed: Self.seed)
        // The content does not matter here. A short one lets more of the changes hit the envelope around it.
        let record = Record(payload: Array("{}".utf8), revision: Revision(counter: 3, nonce: random.next()))
        let whole = Array(Envelope.seal(record, for: key).utf8)
        var outcomes: [String: Int] = [:]
        for round in 0..<Self.rounds {
            let text = random.mutation(of: whole)
            do throws(Envelope.Flaw) {
                let opened = try Envelope.open(text, for: key)
                outcomes["opened", default: 0] += 1
                guard opened == record else {
                    Issue.record("seed \(Self.seed), round \(round): another record"); return
                }
            } catch {
                switch error {
                case .damaged, .empty: outcomes["damaged", default: 0] += 1
                case .newer: outcomes["newer", default: 0] += 1
                case .foreign, .deleted: outcomes["foreign", default: 0] += 1
                }
            }
        }
        #expect(outcomes["damaged", default: 0] > Self.rounds / 2, "\(outcomes)")
    }

    @Test("A changed record in a whole envelope is refused, or is a well-formed record")
    func records() throws {
        print("seed \(Self.seed)")
        var random = SeededRandom(seed: ~Self.seed)
        let whole = try payload()
        var (accepted, refused) = (0, 0)
        for round in 0..<Self.rounds {
            let payload = random.mutation(of: whole)
            let record: UserRecord
            do {
                // Sealing takes most of the time, so only every tenth round seals.
                if round % 10 == 0 {
                    let revision = Revision(counter: 1, nonce: 1)
                    let sealed = Envelope.seal(Record(payload: payload, revision: revision), for: key)
                    let opened = try Envelope.open(Array(sealed.utf8), for: key)
                    guard opened.payload == payload else { Issue.record("seed \(Self.seed), round \(round)"); return }
                }
                record = try UserRecord(decoding: payload)
            } catch is RecordFlaw {
                refused += 1
                continue
            }
            accepted += 1
            let ids = record.accounts.map(\.id)
            let isSound =
                !ids.contains { $0.uid.isEmpty } && Set(ids).count == ids.count
                && (record.current == nil || record.currentAccount?.id == record.current)
            guard isSound, try UserRecord(decoding: record.encoded()) == record else {
                Issue.record("seed \(Self.seed), round \(round): an unsound record was accepted")
                return
            }
        }
        // Changes inside a name or a token make another valid record; most changes do not.
        #expect(accepted > Self.rounds / 100 && refused > Self.rounds / 4, "\(accepted) accepted, \(refused) refused")
    }

    /// A record with every field filled in.
    private func payload() throws -> [UInt8] {
        var profile = UserProfile(
            uid: "x",
            email: "x@example.com",
            isEmailVerified: true,
            displayName: "X \u{1F600} \"quoted\"",
            phoneNumber: "+49 30 123",
            photoURL: URL(string: "https://example.com/x.png"),
            tenantID: "t",
            creationDate: Date(timeIntervalSince1970: 1_700_000_000.5),
            lastSignInDate: Date(timeIntervalSince1970: 1_700_000_001)
        )
        profile.providerData = [UserInfo(providerID: "password", uid: "x@example.com", email: "x@example.com")]
        let x = Account(profile: profile, tokens: .scripted("x", "1"), project: "p")
        let y = Account(profile: UserProfile(uid: "y", isAnonymous: true), tokens: .scripted("y", "1"), project: "p")
        return try UserRecord().signingIn(y).signingIn(x, keepingOthers: true).encoded()
    }
}
