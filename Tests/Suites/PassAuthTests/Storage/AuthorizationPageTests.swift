import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// Authorizations are stored on pages, so that storing one costs only what it writes.
struct AuthorizationPageTests {
    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1")

    private func size(_ key: RecordKey) throws -> Int { try world.text(key)?.utf8.count ?? 0 }

    @Test("Storing an authorization writes and reads one page, however many there are")
    func costs() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        for number in 0..<200 {
            let token = try world.authorization("channel\(number)")
            try store.updateCache(of: session) { $0.keep(token) }
        }
        _ = world.keyring.takeWrites()
        _ = world.keyring.takeReads()
        let token = try world.authorization("one more")
        try store.updateCache(of: session) { $0.keep(token) }
        let written = world.keyring.takeWrites()
        #expect(written.count == 1)
        // Only the index is read outside of the updates.
        #expect(world.keyring.takeReads() == 1)
        let all = try (0..<16).reduce(0) { sum, index in
            try sum + size(store.records.key(AuthorizationPage.place(index, of: session.place)))
        }
        #expect(try written.allSatisfy { try size($0) * 8 < all })
        #expect(try store.cache(of: session).authorizationCount == 201)
        _ = world.keyring.takeReads()
        #expect(try store.authorization(for: "channel7", in: session) == world.authorization("channel7"))
        #expect(try store.authorization(for: "unknown", in: session) == nil)
        #expect(world.keyring.takeReads() == 6)
    }

    @Test("A change sees what it stored and what earlier changes stored")
    func change() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        let (one, two) = (try world.authorization("one"), try world.authorization("two"))
        try store.updateCache(of: session) { $0.keep(one) }
        let seen = try store.updateCache(of: session) { cache in
            cache.keep(two)
            let found = [cache.authorization(for: "one"), cache.authorization(for: "two")]
            cache.dropAuthorization(for: "one")
            return found + [cache.authorization(for: "one")]
        }
        #expect(seen == [one, two, nil])
        #expect(try store.cache(of: session).allAuthorizations == [two])
        #expect(try store.contents().tokens.first?.caches["R1"]?.allAuthorizations == [two])
    }

    @Test(
        "Authorizations in an older version's bucket move to pages with the first change"
    )
    func older() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        let key = store.records.key(session.place)
        let (one, two) = (try world.authorization("one"), try world.authorization("two"))
        var cache = SessionCache()
        cache.userMetadata = Data("zip".utf8)
        cache.keep(one)
        // A bucket as it was written before pages existed.
        let old = try JSONEncoder().encode(
            VersionedPayload(
                schema: 3,
                content: Bucket(
                    epoch: session.epoch,
                    number: session.number,
                    token: session.token.serialized,
                    caches: ["R1": cache]
                )
            )
        )
        let text = String(decoding: old, as: UTF8.self)
        #expect(text.contains("simpleAuthorizationToken") && !text.contains("pages"))
        try world.put(text, under: key)
        #expect(try store.cache(of: session).allAuthorizations == [one])
        #expect(try store.authorization(for: "one", in: session) == one)
        try store.updateCache(of: session) { $0.keep(two) }
        #expect(try store.cache(of: session).allAuthorizations == [one, two])
        #expect(try store.cache(of: session).userMetadata == Data("zip".utf8))
        #expect(try world.text(key)?.contains("simpleAuthorizationToken") == false)
    }

    @Test("A process that dies while writing pages leaves none that a log-out misses")
    func death() throws {
        for writes in 0...6 {
            let world = PassStoreFixture()
            let store = try world.store()
            let session = try store.signIn(world.token("R1", "M1"), for: requestor)
            let tokens = try (0..<5).map { try world.authorization("channel\($0)") }
            world.keyring.die(after: writes)
            try? store.updateCache(of: session) { cache in for token in tokens { cache.keep(token) } }
            world.keyring.mend()
            #expect(try store.session(of: requestor) == session)
            try store.logOut()
            for key in Set(world.keyring.takeWrites()) where !key.isIndex {
                #expect(try world.isEmpty(key), "after \(writes) writes")
            }
        }
    }

    @Test("A new session has none of the previous session's authorizations")
    func sessions() throws {
        let store = try world.store()
        for _ in 0..<4 {
            let session = try store.signIn(world.token("R1", "M1"), for: requestor)
            #expect(try store.cache(of: session).authorizationCount == 0)
            let tokens = try (0..<30).map { try world.authorization("channel\($0)") }
            try store.updateCache(of: session) { cache in for token in tokens { cache.keep(token) } }
            #expect(try store.cache(of: session).authorizationCount == 30)
        }
    }

    @Test("No page exceeds the smallest keyring's limit: the first to expire are dropped")
    func limit() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        for number in 0..<6 {
            let resources = (0..<200).map { "<rss>\(number) \($0) \(String(repeating: "x", count: 400))</rss>" }
            let tokens = try resources.enumerated().map { index, resource in
                try world.authorization(resource, lifetime: TimeInterval(1000 + number * 200 + index))
            }
            try store.updateCache(of: session) { cache in for token in tokens { cache.keep(token) } }
            #expect(try store.authorization(for: resources[199], in: session) == tokens[199])
        }
        for index in 0..<16 {
            let size = try size(store.records.key(AuthorizationPage.place(index, of: session.place)))
            #expect(size > 30_000 && size <= PassRecords.mostBytes)
        }
        #expect(try store.cache(of: session).authorizationCount < 1200)
    }

    @Test("Data too large for any keyring is refused with its size, and nothing changes")
    func tooLong() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        _ = world.keyring.takeWrites()
        let metadata = Data(repeating: 7, count: PassRecords.mostBytes)
        do throws(PassStoreError) {
            try store.updateCache(of: session) { $0.userMetadata = metadata }
            Issue.record("not refused")
        } catch {
            #expect(error.code == .full && error.message.contains("\(PassRecords.mostBytes)"), "\(error)")
        }
        let resources = (0..<3000).map { "channel number \($0)" }
        let long = try AuthenticationToken(
            userID: "person",
            requestor: "R1",
            domain: "example.com",
            mvpd: "M1",
            expires: world.clock.now + 60,
            fingerprint: store.device.fingerprint,
            authorizedResources: resources
        )
        expectFailure(\PassStoreError.code, .full, without: ["person"]) {
            try store.signIn(long, for: requestor)
        }
        #expect(world.keyring.takeWrites().isEmpty)
        #expect(try store.session(of: requestor) == session)
    }
}
