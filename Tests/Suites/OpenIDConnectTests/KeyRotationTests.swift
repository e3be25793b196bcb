import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect

struct KeyRotationTests {
    let world = IssuerFixture()

    @Test("Keys that change between or during sign-ins are fetched once more")
    func rotation() async throws {
        let openID = world.openID()
        _ = try await world.browser(openID).credential()
        world.issuer.change { $0.keys = [.init("second")] }
        _ = try await world.browser(openID).credential()
        #expect(world.issuer.count(of: "/keys") == 2)
    }

    @Test("An unknown key causes at most one fetch of the keys per minute")
    func unknownKey() async throws {
        let openID = world.openID()
        _ = try await world.browser(openID).credential()
        world.issuer.change { script in
            script.publishedKeys = script.keys
            script.keys = [.init("unknown")]
        }
        for _ in 0..<3 {
            await expectFailure(.invalidCredential) { try await world.browser(openID).credential() }
        }
        #expect(world.issuer.count(of: "/keys") == 2)
        world.waited.advance(by: .seconds(60))
        await expectFailure(.invalidCredential) { try await world.browser(openID).credential() }
        #expect(world.issuer.count(of: "/keys") == 3)
    }

    @Test("A new key with an old ID is fetched after a signature fails")
    func sameName() async throws {
        let openID = world.openID()
        _ = try await world.browser(openID).credential()
        world.issuer.change { $0.keys = [.init("first")] }
        _ = try await world.browser(openID).credential()
        #expect(world.issuer.count(of: "/keys") == 2)
    }

    @Test("Keys and metadata that cannot be fetched again stay valid for one more day")
    func withdrawnKeys() async throws {
        let openID = world.openID()
        _ = try await world.browser(openID).credential()
        world.issuer.change { $0.answers["/keys"] = BadAnswer.unreachable }
        world.waited.advance(by: .seconds(3600 + 86399))
        _ = try await world.browser(openID).credential()
        world.waited.advance(by: .seconds(1))
        await expectFailure(.networkError) { try await world.browser(openID).credential() }
        world.issuer.change { $0.answers = [BadAnswer.discovery: BadAnswer.unreachable] }
        world.waited.advance(by: .seconds(86400 * 2))
        await expectFailure(.networkError) { try await world.browser(openID).credential() }
    }

    @Test("Stale keys stay valid while no others can be fetched")
    func staleKeys() async throws {
        let openID = world.openID()
        _ = try await world.browser(openID).credential()
        world.waited.advance(by: .seconds(3599))
        _ = try await world.browser(openID).credential()
        #expect(world.issuer.count(of: "/keys") == 1)
        world.waited.advance(by: .seconds(1))
        world.issuer.change { script in
            script.answers["/keys"] = BadAnswer.unreachable
        }
        _ = try await world.browser(openID).credential()
        #expect(world.issuer.count(of: "/keys") == 2)
    }

    @Test(
        "Keys are fresh for the provider's time, within five minutes and a day",
        arguments: [
            (nil, 3600), ("max-age=600", 600), ("public, max-age=10", 300), ("max-age=9999999", 86400),
            ("no-store", 300), ("max-age=nonsense", 3600),
        ]
    )
    func freshness(_ header: String?, _ seconds: Int) {
        #expect(Freshness.of(cacheControl: header) == .seconds(seconds))
    }
}
