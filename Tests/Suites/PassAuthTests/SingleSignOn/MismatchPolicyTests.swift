import Foundation
import TestSupport
import Testing

@testable import PassAuth

/// Two apps of a team with different bundle ID prefixes, which therefore see different devices.
struct MismatchPolicyTests {
    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1", "M2")

    private func signIn(_ store: PassTokenStore, device: String) throws {
        try store.signIn(world.token("R1", "M1", device: device), for: requestor)
    }

    @Test("With `ignore`, a foreign token is not used or deleted; both apps keep their own")
    func ignore() throws {
        let (one, two) = (try world.store(device: "a"), try world.store(app: "org.example.two", device: "b"))
        try signIn(one, device: "a")
        let report = try two.configure(requestor)
        #expect(report.session == nil && report.foreignTokens == 0)
        try signIn(two, device: "b")
        #expect(try one.configure(requestor).session?.token.fingerprint == one.device.fingerprint)
        #expect(try two.configure(requestor).session?.token.fingerprint == two.device.fingerprint)
    }

    @Test("With `erase`, opening either app logs the other one out, every time")
    func erase() throws {
        let one = try world.store(device: "a", .buckets, .erase)
        let two = try world.store(app: "org.example.two", device: "b", .buckets, .erase)
        try signIn(one, device: "a")
        for _ in 0..<2 {
            let opened = try two.configure(requestor)
            #expect(opened.foreignTokens == 1 && opened.session == nil)
            #expect(try one.session(of: requestor) == nil)
            #expect(try one.selection(of: "R1") == MVPDSelection(mvpd: nil, canAuthenticate: false))
            try signIn(two, device: "b")
            #expect(try one.configure(requestor).foreignTokens == 1)
            #expect(try two.session(of: requestor) == nil)
            try signIn(one, device: "a")
        }
    }

    @Test("With `sanitize`, foreign tokens are removed and the chosen MVPD stays")
    func sanitize() throws {
        let old = try world.store(device: "mac", .buckets, .sanitize)
        try signIn(old, device: "mac")
        let stored = Set(world.keyring.takeWrites()).filter { !$0.isIndex }
        let new = try world.store(device: "idfa", .buckets, .sanitize)
        let report = try new.configure(requestor)
        #expect(report.foreignTokens == 1 && report.session == nil)
        #expect(try old.session(of: requestor) == nil)
        #expect(try old.selection(of: "R1") == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        for key in stored { #expect(try world.isEmpty(key)) }
    }

    @Test("With `off`, a foreign token is used, and a second sign-in replaces it")
    func off() throws {
        let one = try world.store(device: "a", .buckets, .off)
        let two = try world.store(app: "org.example.two", device: "b", .buckets, .off)
        try signIn(one, device: "a")
        #expect(try two.configure(requestor).session?.token.fingerprint == one.device.fingerprint)
        try signIn(two, device: "b")
        #expect(try one.session(of: requestor)?.token.fingerprint == two.device.fingerprint)
    }

    @Test(
        "Tokens expired for 30 days are removed; a second configuration writes nothing"
    )
    func expired() throws {
        for policy in DeviceMismatchPolicy.allCases {
            let world = PassStoreFixture()
            let store = try world.store(.buckets, policy)
            _ = try store.configure(requestor)
            try store.signIn(world.token("R1", "M1", lifetime: 10), for: requestor)
            try store.signIn(world.token("R1", "M2", lifetime: 20), for: requestor)
            world.clock.advance(by: 20)
            #expect(try store.configure(requestor).expiredTokens == 0)
            // There is no session but still an MVPD, which tells an app that a trial has ended.
            #expect(try store.session(of: requestor) == nil)
            #expect(try store.selection(of: "R1").mvpd == "M2")
            world.clock.advance(by: 30 * 86_400 - 10)
            #expect(try store.configure(requestor).expiredTokens == 1)
            world.clock.advance(by: 10)
            #expect(try store.configure(requestor).expiredTokens == 1)
            _ = world.keyring.takeWrites()
            #expect(try store.configure(requestor).expiredTokens == 0)
            #expect(world.keyring.takeWrites().isEmpty)
        }
    }
}
