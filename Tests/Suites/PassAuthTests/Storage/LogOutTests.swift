import Dispatch
import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

struct LogOutTests {
    let world = PassStoreFixture()
    let first = RequestorConfiguration("R1", "M1", "M2")
    let second = RequestorConfiguration("R2", "M2")

    @Test("One write logs out every programmer and MVPD; stored data is deleted after it")
    func everything() throws {
        let one = try world.store()
        let two = try world.store(app: "com.example.two")
        try one.signIn(world.token("R1", "M1"), for: first)
        let session = try two.signIn(world.token("R2", "M2"), for: second)
        try two.updateCache(of: session) { $0.userMetadata = Data("zip".utf8) }
        let stored = Set(world.keyring.takeWrites()).filter { !$0.isIndex }
        try one.logOut()
        let writes = world.keyring.takeWrites()
        #expect(writes.map(\.isIndex) == [true, false, false, true])
        for key in stored { #expect(try world.isEmpty(key)) }
        for (store, requestor) in [(one, first), (two, second)] {
            #expect(try store.session(of: requestor) == nil)
            #expect(try store.selection(of: requestor.id) == MVPDSelection(mvpd: nil, canAuthenticate: false))
        }
        expectFailure(\PassStoreError.code, .sessionEnded) { try two.cache(of: session) }
        try one.logOut()
        #expect(world.keyring.takeWrites().isEmpty)
    }

    @Test("A log-out affects no other group and no private store")
    func othersStay() throws {
        let ours = try world.store()
        let others = try [
            world.store(group: nil), world.store(group: "TEAM1.example.other"), world.store(.privateBuckets),
        ]
        for store in others + [ours] { try store.signIn(world.token("R1", "M1"), for: first) }
        try ours.logOut()
        #expect(try ours.session(of: first) == nil)
        for store in others { #expect(try store.session(of: first) != nil) }
    }

    @Test("A process that dies in a log-out leaves the team either logged in or logged out")
    func death() throws {
        for writes in 0...4 {
            let world = PassStoreFixture()
            let store = try world.store()
            try store.signIn(world.token("R1", "M1"), for: first)
            try store.signIn(world.token("R1", "M2"), for: first)
            let stored = Set(world.keyring.takeWrites()).filter { !$0.isIndex }
            world.keyring.die(after: writes)
            let isDone = (try? store.logOut()) != nil
            world.keyring.mend()
            // The first write is the one that logs out.
            #expect(isDone == (writes > 0))
            let later = try world.store(app: "com.example.two")
            #expect((try later.session(of: first) == nil) == isDone)
            _ = try later.configure(first)
            #expect((try later.session(of: first) == nil) == isDone)
            for key in stored { #expect(try world.isEmpty(key) == isDone, "after \(writes) writes") }
        }
    }

    @Test(
        "A process that dies in a sign-in leaves either the old or the new session",
        arguments: [("M1", 3), ("M2", 2)]
    )
    func deathInSignIn(mvpd: String, needed: Int) throws {
        for writes in 0...needed {
            let world = PassStoreFixture()
            let store = try world.store()
            try store.signIn(world.token("R1", "M2", user: "before"), for: first)
            world.keyring.die(after: writes)
            let isDone = (try? store.signIn(world.token("R1", mvpd, user: "after"), for: first)) != nil
            world.keyring.mend()
            #expect(isDone == (writes == needed))
            #expect(try store.session(of: first)?.token.userID == (isDone ? "after" : "before"))
            try store.logOut()
            for key in Set(world.keyring.takeWrites()) where !key.isIndex {
                #expect(try world.isEmpty(key), "after \(writes) writes")
            }
        }
    }

    @Test("Concurrent sign-ins and log-outs leave the complete result of one of them")
    func atOnce() throws {
        let (one, two) = (try world.store(), try world.store(app: "com.example.two"))
        let tokens = try (0..<40).map { try world.token("R1", $0 % 2 == 0 ? "M1" : "M2", user: "user\($0)") }
        DispatchQueue.concurrentPerform(iterations: tokens.count) { number in
            let store = number % 3 == 0 ? one : two
            do throws(PassStoreError) {
                if number % 5 == 0 { try store.logOut() } else { try store.signIn(tokens[number], for: first) }
            } catch {
                Issue.record(error)
            }
        }
        if let session = try one.session(of: first) {
            #expect(try two.session(of: first) == session)
            #expect(try two.cache(of: session) == SessionCache())
        }
        try one.logOut()
        for key in Set(world.keyring.takeWrites()) where !key.isIndex { #expect(try world.isEmpty(key)) }
    }

    @Test("An answer that arrives after a log-out or a new sign-in writes nothing")
    func lateAnswer() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: first)
        let authorization = try world.authorization("channel")
        try store.logOut()
        _ = world.keyring.takeWrites()
        expectFailure(\PassStoreError.code, .sessionEnded) {
            try store.updateCache(of: session) { $0.keep(authorization) }
        }
        try store.signIn(world.token("R1", "M1"), for: first)
        _ = world.keyring.takeWrites()
        expectFailure(\PassStoreError.code, .sessionEnded) {
            try store.updateCache(of: session) { $0.keep(authorization) }
        }
        #expect(world.keyring.takeWrites().isEmpty)
        #expect(try store.cache(of: #require(try store.session(of: first))).authorizationCount == 0)
    }

    @Test("A locked or absent keyring is an error of every call, never a missing token")
    func locked() throws {
        let store = try world.store(integrity: .all)
        let session = try store.signIn(world.token("R1", "M1"), for: first)
        let token = try world.token("R1", "M2")
        let codes: [(RecordStoreError.Code, PassStoreError.Code)] = [
            (.locked, .locked), (.unavailable, .unavailable), (.denied, .denied), (.timedOut, .timedOut),
        ]
        for (cause, code) in codes {
            world.keyring.mend()
            world.keyring.fail(as: cause)
            expectFailure(\PassStoreError.code, code) { try store.session(of: first) }
            expectFailure(\PassStoreError.code, code) { try store.selection(of: "R1") }
            expectFailure(\PassStoreError.code, code) { try store.configure(first) }
            expectFailure(\PassStoreError.code, code) { try store.signIn(token, for: first) }
            expectFailure(\PassStoreError.code, code) { try store.cache(of: session) }
            expectFailure(\PassStoreError.code, code) { try store.updateCache(of: session) { _ in } }
            expectFailure(\PassStoreError.code, code) { try store.select(nil, for: "R1") }
            expectFailure(\PassStoreError.code, code) { try store.logOut() }
        }
        world.keyring.mend()
        #expect(try store.session(of: first) == session)
    }
}
