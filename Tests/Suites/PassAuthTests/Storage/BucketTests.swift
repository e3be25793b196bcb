import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

struct BucketTests {
    let world = PassStoreFixture()
    let first = RequestorConfiguration("R1", "M1", "M2")
    let second = RequestorConfiguration("R2", "M1")

    @Test("A token stored by one app signs in the whole team, byte for byte unchanged")
    func signIn() throws {
        let token = try world.token("R1", "M1")
        try world.store().signIn(token, for: first)
        let other = try world.store(app: "com.example.two")
        #expect(try other.session(of: first)?.token == token)
        #expect(try other.session(of: first)?.isShared == false)
        #expect(try other.session(of: second)?.isShared == true)
        #expect(try world.store(group: "TEAM2.example.pass").session(of: first) == nil)
        #expect(try world.store(group: nil).session(of: first) == nil)
        #expect(try other.selection(of: "R1") == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        #expect(try other.selection(of: "R2") == MVPDSelection(mvpd: "M1", canAuthenticate: true))
    }

    @Test("If nothing was ever stored, one read is enough, although the clock advances")
    func nothing() throws {
        let store = PassTokenStore(
            appID: "com.example.one",
            group: nil,
            in: world.keyring,
            device: DeviceIdentity(.custom, "device"),
            options: .init(now: { [clock = world.clock] in
                // The clock stops eventually so that a failing test ends.
                if clock.now.timeIntervalSince1970 < 1_800_000_100 { clock.advance(by: 1) }
                return clock.now
            })
        )
        #expect(try store.session(of: first) == nil)
        #expect(world.keyring.takeReads() == 1)
    }

    @Test("A sign-in with another MVPD ends the session only with a single slot")
    func generations() throws {
        for (generation, survives) in [
            (StorageGeneration.buckets, true), (.separateBuckets, true), (.singleSlot, false),
        ] {
            let world = PassStoreFixture()
            let one = try world.store(generation, .off)
            let two = try world.store(app: "com.example.two", generation, .off)
            try one.signIn(world.token("R1", "M1"), for: RequestorConfiguration("R1", "M1"))
            try two.signIn(world.token("R2", "M2"), for: RequestorConfiguration("R2", "M2"))
            #expect(try two.session(of: RequestorConfiguration("R2", "M2")) != nil)
            #expect((try one.session(of: RequestorConfiguration("R1", "M1")) != nil) == survives)
        }
    }

    @Test("A private generation hides an app's tokens from every other app")
    func privateStores() throws {
        for generation in [StorageGeneration.perProgrammer, .privateBuckets] {
            let world = PassStoreFixture()
            let one = try world.store(generation)
            let token = try world.token("R1", "M1")
            try one.signIn(token, for: first)
            #expect(try one.session(of: first)?.token == token)
            #expect(one.group == nil)
            #expect(try world.store(app: "com.example.two", generation).session(of: first) == nil)
            // The same app after a restart.
            #expect(try world.store(generation).session(of: first)?.token == token)
        }
    }

    @Test(
        "A sign-in takes three writes, a cached answer one, a read two reads"
    )
    func costs() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: first)
        #expect(world.keyring.takeWrites().map(\.isIndex) == [true, false, true])
        try store.signIn(world.token("R1", "M1", user: "again"), for: first)
        // The old token is deleted after the index is written.
        #expect(world.keyring.takeWrites().map(\.isIndex) == [false, true, false])
        expectFailure(\PassStoreError.code, .sessionEnded) { try store.updateCache(of: session) { _ in } }
        _ = world.keyring.takeReads()
        let now = try #require(try store.session(of: first))
        #expect(world.keyring.takeReads() == 2)
        let authorization = try world.authorization("channel")
        try store.updateCache(of: now) { $0.keep(authorization) }
        // The bucket, which now lists the page, and the page.
        #expect(world.keyring.takeWrites().map(\.isIndex) == [false, false])
        try store.updateCache(of: now) { $0.keep(authorization) }
        #expect(world.keyring.takeWrites().isEmpty)
        let another = try world.authorization("channel", lifetime: 700)
        try store.updateCache(of: now) { $0.keep(another) }
        #expect(world.keyring.takeWrites().map(\.isIndex) == [false])
    }

    @Test("Keys reveal no programmer, MVPD or resource")
    func names() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("programmer", "provider"), for: .init("programmer", "provider"))
        let authorization = try world.authorization("resource", "programmer", "provider")
        try store.updateCache(of: session) { $0.keep(authorization) }
        let kinds = world.keyring.takeWrites().map(\.kind)
        #expect(kinds.count == 5)
        #expect(kinds.allSatisfy { !$0.contains("programmer") && !$0.contains("provider") && !$0.contains("resource") })
        let texts = "\(session)\(Mirror(reflecting: session).children)\(try store.cache(of: session))"
        #expect(!texts.contains("person") && !texts.contains("resource"))
    }

    @Test("One authorization per resource is stored; expired ones are dropped by a write")
    func authorizations() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1"), for: first)
        let resource = "<rss><channel>A & B</channel></rss>"
        let (old, new) = (try world.authorization(resource), try world.authorization(resource, lifetime: 700))
        let (short, other) = (try world.authorization("short", lifetime: 10), try world.authorization("x"))
        try store.updateCache(of: session) { cache in
            for token in [old, short, new] { cache.keep(token) }
        }
        var cache = try store.cache(of: session)
        #expect(cache.authorization(for: resource) == new)
        #expect(cache.authorizationCount == 2)
        world.clock.advance(by: 20)
        try store.updateCache(of: session) { cache in
            cache.userMetadata = Data("zip".utf8)
            cache.keep(other)
        }
        cache = try store.cache(of: session)
        #expect(cache.authorization(for: "short") == short)
        #expect(cache.authorization(for: resource) == new)
        #expect(cache.userMetadata == Data("zip".utf8))
    }

    @Test("One programmer's cache is not another's, though both share a token")
    func cachesApart() throws {
        let store = try world.store()
        try store.signIn(world.token("R1", "M1"), for: first)
        let one = try #require(try store.session(of: first))
        let two = try #require(try store.session(of: second))
        let authorization = try world.authorization("channel", "R2")
        try store.updateCache(of: two) { $0.keep(authorization) }
        #expect(try store.cache(of: one).authorizationCount == 0)
        #expect(try store.cache(of: two).authorization(for: "channel") == authorization)
    }

    @Test("Integrations are read from the index alone, whether or not tokens are damaged")
    func integrations() throws {
        let store = try world.store()
        let kept = RequestorConfiguration(id: "R2", integrations: [MVPDIntegration(mvpd: "M2", isPerRequestor: true)])
        try store.signIn(world.token("R1", "M1"), for: first)
        let session = try store.signIn(world.token("R2", "M2"), for: kept)
        try world.put("{}", under: store.records.key(session.place))
        let shared = ["M1", "M2"].map { MVPDIntegration(mvpd: $0) }
        #expect(try store.storedIntegrations(of: "R1") == shared)
        #expect(try store.storedIntegrations(of: "R2") == [shared[0], kept.integrations[0]])
    }

    @Test(
        "An expired, foreign or unintegrated token is refused, and nothing changes"
    )
    func refused() throws {
        let store = try world.store()
        let bad = [
            try world.token("R1", "M1", lifetime: 0), try world.token("R1", "M1", device: "another"),
            try world.token("R1", "M9"),
        ]
        for token in bad {
            expectFailure(
                \PassStoreError.code,
                .invalidToken,
                without: [token.requestor, token.mvpd, token.fingerprint]
            ) {
                try store.signIn(token, for: first)
            }
        }
        #expect(world.keyring.takeWrites().isEmpty)
    }

    @Test(
        "Clearing the choice keeps the token; choosing again signs in silently"
    )
    func selection() throws {
        let store = try world.store()
        try store.signIn(world.token("R1", "M1"), for: first)
        // As after a failed sign-in: the earlier session stays.
        try store.select("M1", for: "R1")
        #expect(try store.selection(of: "R1") == MVPDSelection(mvpd: "M1", canAuthenticate: false))
        #expect(try store.session(of: first) != nil)
        try store.select(nil, for: "R1")
        #expect(try store.session(of: first) == nil)
        #expect(try store.session(of: second) != nil)
        #expect(try store.selection(of: "R1") == MVPDSelection(mvpd: nil, canAuthenticate: false))
        try store.select("M2", for: "R1")
        #expect(try store.session(of: first) == nil)
        try store.select("M1", for: "R1")
        #expect(try store.session(of: first) != nil)
        #expect(try store.selection(of: "R1") == MVPDSelection(mvpd: "M1", canAuthenticate: false))
    }
}
