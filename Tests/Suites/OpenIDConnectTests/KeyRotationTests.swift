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

    @Test("A token without a key ID is accepted if exactly one signing key fits")
    func withoutKeyID() throws {
        let key = #"{"kty":"EC","crv":"P-256","x":"a","y":"b"}"#
        let encryption = #"{"kty":"EC","crv":"P-256","use":"enc","x":"c","y":"d"}"#
        let other = #"{"kty":"EC","crv":"P-384","x":"a","y":"b"}"#
        let unknown = #"{"kty":"oct","k":"AAAA"},{"kty":"new"},7"#
        let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
        let token = try IDToken("\(header).e30.x")
        func count(_ keys: String...) -> Int? {
            JSONObject(Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)).flatMap(KeySet.init)?
                .keys(for: token, .es256).count
        }
        #expect(count(key) == 1)
        #expect(count(key, encryption, other, unknown) == 1)
        #expect(count(key, key) == 0)
        #expect(count(other) == 0)
        #expect(count(#"{"kty":"EC","crv":"P-256","alg":"ES384","x":"a","y":"b"}"#) == 0)
        #expect(KeySet(JSONObject(members: [:])) == nil)
    }
}
