import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// A wrong clock of one app does not discard what others use.
struct WrongClockTests {
    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1")

    /// Returns the same store for an app whose clock is ahead.
    private func ahead(by seconds: TimeInterval) throws -> PassTokenStore {
        let store = try world.store(app: "com.example.ahead")
        var options = store.options
        options.now = { [clock = world.clock] in clock.now + seconds }
        return PassTokenStore(
            appID: store.appID,
            group: store.group,
            in: world.keyring,
            device: store.device,
            options: options
        )
    }

    @Test("An app whose clock is days ahead keeps tokens that only it considers expired")
    func tokens() throws {
        let store = try world.store()
        try store.signIn(world.token("R1", "M1"), for: requestor)
        for days in [1.0, 29] {
            let wrong = try ahead(by: days * 86_400)
            let report = try wrong.configure(requestor)
            #expect(report.session == nil && report.expiredTokens == 0)
            #expect(try store.session(of: requestor) != nil)
        }
    }

    @Test("Tokens expired for 30 days are deleted")
    func longExpired() throws {
        let store = try world.store()
        try store.signIn(world.token("R1", "M1"), for: requestor)
        #expect(try ahead(by: 3600 + 30 * 86_400 - 1).configure(requestor).expiredTokens == 0)
        #expect(try ahead(by: 3600 + 30 * 86_400).configure(requestor).expiredTokens == 1)
        #expect(try store.contents().tokens.isEmpty)
    }

    @Test("An authorization from the future is requested anew, and the session stays")
    func future() throws {
        let (store, wrong) = (try world.store(), try ahead(by: 3 * 3600))
        let session = try store.signIn(world.token("R1", "M1"), for: requestor)
        let theirs = try store.signIn(world.token("R1", "M1", lifetime: 4 * 3600), for: requestor)
        let authorization = try world.authorization("channel", lifetime: 4 * 3600)
        try wrong.updateCache(of: theirs) { $0.keep(authorization) }
        #expect(try wrong.authorization(for: "channel", in: theirs) == authorization)
        #expect(try store.authorization(for: "channel", in: theirs) == nil)
        #expect(try store.cache(of: theirs).authorization(for: "channel") == nil)
        #expect(try store.session(of: requestor) == theirs && theirs.number > session.number)
        // The answer of the server counts from then on.
        let new = try world.authorization("channel")
        try store.updateCache(of: theirs) { $0.keep(new) }
        #expect(try store.authorization(for: "channel", in: theirs) == new)
        // A clock that is a minute ahead is no reason.
        let other = try world.authorization("other")
        try ahead(by: 60).updateCache(of: theirs) { $0.keep(other) }
        #expect(try store.authorization(for: "other", in: theirs) == other)
    }

    @Test("An app whose clock is ahead keeps the others' authorizations when it stores one")
    func authorizations() throws {
        let store = try world.store()
        let session = try store.signIn(world.token("R1", "M1", lifetime: 90 * 86_400), for: requestor)
        let kept = try (0..<40).map { try world.authorization("channel\($0)") }
        try store.updateCache(of: session) { cache in for token in kept { cache.keep(token) } }
        let wrong = try ahead(by: 86_400)
        let more = try (40..<80).map { try world.authorization("channel\($0)", lifetime: 100 * 86_400) }
        let theirs = try #require(try wrong.session(of: requestor))
        try wrong.updateCache(of: theirs) { cache in for token in more { cache.keep(token) } }
        #expect(try wrong.cache(of: theirs).authorizationCount == 80)
        let late = try ahead(by: 600 + 30 * 86_400)
        try late.updateCache(of: theirs) { cache in for token in more { cache.dropAuthorization(for: token.resource) } }
        // The written pages no longer hold the old ones; 40 resources are spread over nearly all of the sixteen pages.
        #expect(try store.cache(of: session).authorizationCount < 10)
    }
}
