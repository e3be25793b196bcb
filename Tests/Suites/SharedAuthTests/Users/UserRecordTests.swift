import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

struct UserRecordTests {
    func account(_ uid: String, _ token: String = "1") -> Account {
        Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, token), project: "p")
    }

    @Test("A record reads back as it was written")
    func roundTrip() throws {
        let record = UserRecord().signingIn(account("x")).signingIn(account("y"), keepingOthers: true)
        #expect(try UserRecord(decoding: record.encoded()) == record)
    }

    @Test("Signing in replaces the present account, unless others are kept")
    func signingIn() {
        let one = UserRecord().signingIn(account("x"))
        #expect(one.signingIn(account("y")).accounts.map(\.uid) == ["y"])
        #expect(one.signingIn(account("y"), keepingOthers: true).accounts.map(\.uid) == ["x", "y"])
        let three = one.signingIn(account("y"), keepingOthers: true).signingIn(account("z"), keepingOthers: true)
        #expect(three.signingIn(account("w")).accounts.map(\.uid) == ["x", "y", "w"])
        #expect(three.signingIn(account("w"), replacing: "x").accounts.map(\.uid) == ["y", "w"])
        #expect(three.signingIn(account("x"), replacing: "x").accounts.map(\.uid) == ["y", "x"])
        #expect(one.signingIn(account("x", "2")).accounts.map(\.tokens.idToken) == ["x/id/2"])
    }

    @Test(
        "A replaced account's originals stay listed; those that apps have left, as signed out",
        arguments: [false, true]
    )
    func originals(isLeft: Bool) {
        let original = CopiedFrom(scope: "app:com.example.Mail", revision: Revision(counter: 1, nonce: 2))
            .noted(asLeft: isLeft)
        var copy = account("x")
        copy.remainingOriginals = [original]
        let record = UserRecord().signingIn(copy)
        #expect(record.signingIn(account("x", "2")).currentAccount?.remainingOriginals == [original])
        #expect(record.signingIn(copy).currentAccount?.remainingOriginals == [original])
        let other = record.signingIn(account("y"))
        #expect(other.signedOut == (isLeft ? [UserRecord.SignedOut("x", original)] : []))
        #expect(other.accounts.map(\.uid) == ["y"])
        #expect(record.signingIn(account("y"), keepingOthers: true).account("x") == copy)
    }

    @Test("The later issued of two token pairs is newer; if unknown, the longer lasting one")
    func newerTokens() {
        func tokens(_ issued: Double?, _ expires: Double) -> UserTokens {
            UserTokens(
                idToken: "i",
                refreshToken: "r",
                expirationDate: Date(timeIntervalSince1970: expires),
                issueDate: issued.map(Date.init(timeIntervalSince1970:))
            )
        }
        #expect(tokens(2, 10).isNewer(than: tokens(1, 20)))
        #expect(!tokens(1, 20).isNewer(than: tokens(2, 10)))
        #expect(tokens(nil, 20).isNewer(than: tokens(2, 10)))
        #expect(tokens(2, 20).isNewer(than: tokens(2, 10)))
        #expect(!tokens(2, 10).isNewer(than: tokens(2, 10)))
    }

    @Test("The copy of a session with more exchanges is newer, whatever the clock")
    func lineage() throws {
        let start = UserTokens.scripted("x", "1").beginningLineage()
        func exchanged(_ tokens: UserTokens, at date: Double) -> UserTokens {
            UserTokens(
                idToken: "i",
                refreshToken: "r",
                expirationDate: Date(timeIntervalSince1970: date + 3600),
                issueDate: Date(timeIntervalSince1970: date)
            ).succeeding(tokens)
        }
        let first = exchanged(start, at: 2_000_000_000)
        // The clock was corrected in between.
        let second = exchanged(first, at: 1_000_000_000)
        #expect(second.isNewer(than: first) && !first.isNewer(than: second))
        #expect(second.isNewer(than: start))
        let record = UserRecord().signingIn(
            Account(profile: UserProfile(uid: "x"), tokens: second, project: "p", issuer: nil)
        )
        #expect(try UserRecord(decoding: record.encoded()).currentAccount?.tokens.lineage == second.lineage)
        // Another sign-in, and tokens of a version that recorded no lineage, are compared by their dates.
        let other = exchanged(UserTokens.scripted("x", "1").beginningLineage(), at: 1_500_000_000)
        #expect(first.isNewer(than: other) && other.isNewer(than: second))
        let unnoted = UserTokens.scripted("x", "1", from: Date(timeIntervalSince1970: 1_500_000_000))
        #expect(first.isNewer(than: unnoted) && unnoted.isNewer(than: second))
    }

    @Test("Removing the current account leaves no current account")
    func removing() {
        let two = UserRecord().signingIn(account("x")).signingIn(account("y"), keepingOthers: true)
        #expect(two.removing("y" as AccountID).currentAccount == nil)
        #expect(two.removing("x" as AccountID).current == "y")
    }

    @Test("A record is version 2 while an account needs it, and version 1 again afterwards")
    func formatVersion() throws {
        let plain = UserRecord().signingIn(account("x"))
        #expect(plain.formatVersion == 1)
        for tokens in [
            UserTokens.server("y", "1", hasIDToken: false), .server("y", "1", hasRefreshToken: false),
            .server("y", "1", scopes: [["mail"]]),
        ] {
            let other = Account(profile: UserProfile(uid: "y"), tokens: tokens, project: "p")
            let both = plain.signingIn(other, keepingOthers: true)
            #expect(both.formatVersion == 2)
            #expect(String(decoding: try both.encoded(), as: UTF8.self).hasSuffix("\"version\":2}"))
            let read = try UserRecord(decoding: both.encoded())
            #expect(read == both)
            #expect(try read.removing("y" as AccountID).selecting("x").encoded() == plain.encoded())
        }
    }

    @Test("In version 1 a missing token is damage, in version 2 it is not", arguments: ["idToken", "refreshToken"])
    func missingToken(name: String) throws {
        let text = String(decoding: try UserRecord().signingIn(account("x")).encoded(), as: UTF8.self)
            .replacing("\"\(name)\"", with: "\"other\"")
        #expect(throws: RecordFlaw.self) { try UserRecord(decoding: Array(text.utf8)) }
        let newer = text.replacing("\"version\":1", with: "\"version\":2")
        #expect(try UserRecord(decoding: Array(newer.utf8)).currentAccount?.uid == "x")
    }

    @Test(
        "A text that is no record is damaged, with the reason",
        arguments: [
            "", "nonsense", "{}", "[]", "{\"version\":\"1\"}", "{\"version\":1}", "{\"version\":0,\"accounts\":[]}",
            "{\"version\":1,\"accounts\":[{}]}", "{\"version\":1,\"current\":\"x\",\"accounts\":[]}",
            "{\"version\":1,\"accounts\":[{\"profile\":{\"uid\":\"x\"},\"project\":\"p\"}]}",
        ]
    )
    func damaged(text: String) {
        do throws(RecordFlaw) {
            _ = try UserRecord(decoding: Array(text.utf8))
            Issue.record("no error")
        } catch {
            guard case .damaged(let reason) = error, !reason.isEmpty else { Issue.record("\(error)"); return }
        }
    }

    @Test("A higher version is newer, not damaged")
    func newer() {
        do throws(RecordFlaw) {
            _ = try UserRecord(decoding: Array("{\"version\":999,\"other\":true}".utf8))
            Issue.record("no error")
        } catch {
            guard error == .newer("its format version is 999") else { Issue.record("\(error)"); return }
        }
    }
}
