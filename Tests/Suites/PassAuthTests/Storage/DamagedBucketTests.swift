import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// A bucket that cannot be read does not block the others.
struct DamagedBucketTests {
    let world = PassStoreFixture()
    let first = RequestorConfiguration("R1", "M1")
    let second = RequestorConfiguration("R2", "M2")

    /// Returns a store with two programmers' tokens, the first of which is unreadable, and the key of that bucket.
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
        "A programmer with a damaged token is signed in by another's shared token"
    )
    func reading() throws {
        let (store, _) = try damaged()
        #expect(try store.session(of: second)?.token.mvpd == "M2")
        // A programmer that has chosen no MVPD uses the available token.
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
        "The contents list damaged and newer tokens, and include all intact ones",
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

    @Test("The integrity check removes a damaged token and nothing else")
    func integrity() throws {
        let (store, key) = try damaged("{}", .all)
        let report = try store.configure(second)
        #expect(!report.hasCleared && report.session?.token.mvpd == "M2")
        #expect(report.unreadableTokens.map(\.requestor) == ["R1"])
        #expect(try world.isEmpty(key))
        #expect(try store.session(of: first) == nil)
        #expect(try store.configure(second).unreadableTokens.isEmpty)
    }

    @Test("The integrity check reports a newer version's token and does not change it")
    func newer() throws {
        let text = #"{"schema":9,"content":{}}"#
        let (store, key) = try damaged(text, .all)
        let report = try store.configure(second)
        #expect(!report.hasCleared && report.session != nil && report.unreadableTokens.map(\.code) == [.newerSchema])
        #expect(try world.text(key) == text)
        // A log-out invalidates it, deletes the others, and does not overwrite it.
        try store.logOut()
        #expect(try world.text(key) == text)
        #expect(try world.store(app: "com.example.two").contents() == StoreContents())
        let others = Set(world.keyring.takeWrites()).filter { !$0.isIndex && !$0.isProbe && $0 != key }
        #expect(!others.isEmpty)
        for other in others { #expect(try world.isEmpty(other)) }
    }
}
