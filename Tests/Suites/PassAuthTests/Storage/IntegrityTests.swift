import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

struct IntegrityTests {
    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1")

    /// Returns a store with a session, and the key of its bucket.
    private func signedIn(_ integrity: IntegrityCheck) throws -> (PassTokenStore, RecordKey) {
        let store = try world.store(integrity: integrity)
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        return (store, store.records.key(session.place))
    }

    private static let damage = [
        "", "{", "{}", "[1]", #"{"schema":0,"content":{}}"#, #"{"schema":3,"content":{}}"#,
        #"{"schema":3,"content":{"epoch":-1}}"#,
    ]

    @Test("Without a check, a damaged index or bucket is a distinct error and left in place", arguments: damage)
    func none(text: String) throws {
        let (store, bucket) = try signedIn(.none)
        for key in [bucket, store.records.indexKey] {
            try world.put(text, under: key)
            expectFailure(\PassStoreError.code, .damaged) { try store.session(of: requestor) }
            #expect(try world.text(key) == text)
        }
        expectFailure(\PassStoreError.code, .damaged) { try store.configure(requestor) }
        // An explicit sign-in starts over.
        try store.signIn(world.token("R1", "M1", user: "new"), for: requestor)
        #expect(try store.session(of: requestor)?.token.userID == "new")
        try world.put(text, under: store.records.indexKey)
        try store.logOut()
        #expect(try store.session(of: requestor) == nil)
    }

    @Test("With a check, an unreadable index clears the store", arguments: damage)
    func all(text: String) throws {
        let (store, bucket) = try signedIn(.all)
        #expect(try store.configure(requestor).hasCleared == false)
        try world.put(text, under: store.records.indexKey)
        let report = try store.configure(requestor)
        #expect(report.hasCleared && report.session == nil)
        #expect(try world.isEmpty(bucket))
        #expect(try store.configure(requestor).hasCleared == false)
    }

    @Test("Apps of the group that check the store at the same moment clear nothing")
    func atOnce() throws {
        let (store, _) = try signedIn(.all)
        let other = try world.store(app: "com.example.two", integrity: .all, on: world.memory)
        world.keyring.before(.read, where: \.isProbe) { _ in
            do {
                #expect(try other.configure(requestor).hasCleared == false)
            } catch {
                Issue.record(error)
            }
        }
        let report = try store.configure(requestor)
        #expect(!report.hasCleared && report.session != nil)
        // Only the check's probe is written, and it is gone afterwards.
        _ = world.keyring.takeWrites()
        _ = try store.configure(requestor)
        let writes = world.keyring.takeWrites()
        #expect(writes.count == 2 && writes.allSatisfy(\.isProbe))
        for key in writes { #expect(try world.isEmpty(key)) }
    }

    @Test("A keyring that garbles the check's own writes clears the store only once")
    func garbledProbe() throws {
        let (store, _) = try signedIn(.all)
        world.keyring.before(.read, where: \.isProbe) { [memory = world.memory] key in
            memory.put(.damaged("garbled"), under: key)
        }
        #expect(try store.configure(requestor).hasCleared)
        try store.signIn(world.token("R1", "M1"), for: requestor)
        let report = try store.configure(requestor)
        #expect(!report.hasCleared && report.session != nil)
    }

    @Test("A token replaced during the check is not damage")
    func replacedMeanwhile() throws {
        let store = try world.store(.singleSlot, integrity: .all)
        try store.signIn(world.token("R1", "M1"), for: requestor)
        let second = RequestorConfiguration("R2", "M2")
        let peer = try world.store(app: "com.example.two", .singleSlot, on: world.memory)
        let tokens = try ["x", "y"].map { try world.token("R2", "M2", user: $0) }
        world.keyring.before(.read, where: { !$0.isIndex && !$0.isProbe }) { _ in
            do {
                // The second one replaces the first programmer's token.
                for token in tokens { try peer.signIn(token, for: second) }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try store.configure(requestor).hasCleared == false)
        #expect(try peer.session(of: second)?.token.userID == "y")
    }

    @Test("A bucket with another MVPD's token, or no token, is damage")
    func strangeToken() throws {
        let (store, key) = try signedIn(.none)
        let stored = try #require(try world.text(key))
        for (text, other) in [("ID>M1<", "ID>M2<"), ("ID>R1<", "ID>R2<"), ("simpleTokenExpires>", "x>")] {
            #expect(stored.contains(text))
            try world.put(stored.replacingOccurrences(of: text, with: other), under: key)
            expectFailure(\PassStoreError.code, .damaged) { try store.session(of: requestor) }
        }
    }

    @Test("A session from before the index was damaged has ended")
    func sessionBeforeDamage() throws {
        let store = try world.store()
        let old = try store.signIn(world.token("R1", "M1"), for: requestor)
        world.clock.advance(by: 1)
        try world.put("{}", under: store.records.indexKey)
        let new = try store.signIn(world.token("R1", "M1"), for: requestor)
        #expect(new.place == old.place && new.number == old.number)
        expectFailure(\PassStoreError.code, .sessionEnded) { try store.updateCache(of: old) { _ in } }
        #expect(try store.session(of: requestor) == new)
    }

    @Test("A sign-in over a damaged index removes all that the programmer had stored")
    func signInOverDamage() throws {
        let (store, requestor) = (try world.store(), RequestorConfiguration("R1", "M1", "M2"))
        for mvpd in ["M1", "M2"] { try store.signIn(world.token("R1", mvpd), for: requestor) }
        let stored = Set(world.keyring.takeWrites()).filter { !$0.isIndex }
        try world.put("{}", under: store.records.indexKey)
        let session = try store.signIn(world.token("R1", "M1", user: "new"), for: requestor)
        for key in stored { #expect(try world.isEmpty(key) == (key != store.records.key(session.place))) }
        #expect(try store.session(of: requestor) == session)
    }

    @Test("With `clear`, every configuration empties the store")
    func clear() throws {
        let (store, key) = try signedIn(.clear)
        let report = try store.configure(requestor)
        #expect(report.hasCleared && report.session == nil)
        #expect(try world.isEmpty(key))
    }

    @Test("A newer version's record is reported as newer, and neither read nor changed")
    func newer() throws {
        for integrity in IntegrityCheck.allCases {
            let world = PassStoreFixture()
            let store = try world.store(integrity: integrity)
            let text = #"{"schema":4,"content":{"something":"else"}}"#
            try world.put(text, under: store.records.indexKey)
            let token = try world.token("R1", "M1")
            expectFailure(\PassStoreError.code, .newerSchema) { try store.session(of: requestor) }
            expectFailure(\PassStoreError.code, .newerSchema) { try store.configure(requestor) }
            expectFailure(\PassStoreError.code, .newerSchema) { try store.signIn(token, for: requestor) }
            expectFailure(\PassStoreError.code, .newerSchema) { try store.logOut() }
            #expect(try world.text(store.records.indexKey) == text)
        }
    }

    @Test("After a downgrade the new tokens are invisible, and the old ones are back")
    func downgrade() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1", user: "old"), for: requestor)
        let new = try world.store()
        #expect(try new.configure(requestor).hasImported)
        try new.logOut()
        try new.signIn(world.token("R1", "M1", user: "new"), for: requestor)
        #expect(try old.configure(requestor).session?.token.userID == "old")
        try old.logOut()
        #expect(try new.session(of: requestor)?.token.userID == "new")
    }
}
