import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// One bucket that cannot be read blocks no other.
struct DamagedBucketTests {
    let world = PassStoreFixture()
    let first = RequestorConfiguration("R1", "M1")
    let second = RequestorConfiguration("R2", "M2")

    /// A store with two programmers' tokens, of which the first one's is not to be read.
    private func damaged(_ text: String = "{}", _ integrity: IntegrityCheck = .none) throws -> (
        PassTokenStore, RecordKey
    ) {
        let store = try world.store(integrity: integrity)
        let session = try store.signIn(world.token("R1", "M1"), for: first)
        try store.signIn(world.token("R2", "M2"), for: second)
        try world.put(text, under: store.records.key(session.place))
        return (store, store.records.key(session.place))
    }

    @Test(
        "A programmer whose token is damaged is signed in by one that another shares"
    )
    func reading() throws {
        let (store, _) = try damaged()
        #expect(try store.session(of: second)?.token.mvpd == "M2")
        // A programmer that has chosen nothing takes the token that there is.
        try store.signIn(world.token("R3", "M1", user: "other"), for: RequestorConfiguration("R3", "M1"))
        #expect(try store.session(of: first)?.token.userID == "other")
        try store.signIn(world.token("R1", "M1"), for: first)
    }

    @Test("A damaged token is an error, not a sign-out, if nothing else signs in")
    func nothingElse() throws {
        let (store, _) = try damaged()
        expectFailure(\PassStoreError.code, .damaged) { try store.session(of: first) }
        #expect(try store.configure(second).session?.token.mvpd == "M2")
    }

    @Test(
        "The contents name what is damaged or newer, and have all that is whole",
        arguments: [
            ("{}", PassStoreError.Code.damaged), (#"{"schema":9,"content":{}}"#, .newerSchema),
        ]
    )
    func contents(text: String, code: PassStoreError.Code) throws {
        let (store, _) = try damaged(text)
        let contents = try store.contents()
        #expect(contents.tokens.map(\.token.requestor) == ["R2"])
        #expect(contents.unreadable.map(\.requestor) == ["R1"] && contents.unreadable.map(\.mvpd) == ["M1"])
        #expect(contents.unreadable.map(\.code) == [code])
    }

    @Test("The integrity check takes a damaged token out, and nothing else")
    func integrity() throws {
        let (store, key) = try damaged("{}", .all)
        let report = try store.configure(second)
        #expect(!report.hasCleared && report.session?.token.mvpd == "M2")
        #expect(report.unreadableTokens.map(\.requestor) == ["R1"])
        #expect(try world.isEmpty(key))
        #expect(try store.session(of: first) == nil)
        #expect(try store.configure(second).unreadableTokens.isEmpty)
    }

    @Test("The integrity check names a token of a newer version, and leaves it where it is")
    func newer() throws {
        let text = #"{"schema":9,"content":{}}"#
        let (store, key) = try damaged(text, .all)
        let report = try store.configure(second)
        #expect(!report.hasCleared && report.session != nil && report.unreadableTokens.map(\.code) == [.newerSchema])
        #expect(try world.text(key) == text)
        // A log-out voids it, goes on with the others, and does not write over it.
        try store.logOut()
        #expect(try world.text(key) == text)
        #expect(try world.store(app: "com.example.two").contents() == StoreContents())
        let others = Set(world.keyring.takeWrites()).filter { !$0.isIndex && !$0.isProbe && $0 != key }
        #expect(!others.isEmpty)
        for other in others { #expect(try world.isEmpty(other)) }
    }
}
