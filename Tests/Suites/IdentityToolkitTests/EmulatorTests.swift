import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

struct EmulatorTests {
    @Test(
        "An emulator's address has the real host in its path, over HTTP on this machine",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("::1", "[::1]"), ("[::1]", "[::1]"),
        ]
    )
    func address(_ host: String, _ written: String) async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        auth.useEmulator(withHost: host, port: 9099)
        let user = try await auth.signInAnonymously().user
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(
            world.firebase.sent.map(\.url) == [
                "http://\(written):9099/identitytoolkit.googleapis.com/v1/accounts:signUp?key=KEY",
                "http://\(written):9099/identitytoolkit.googleapis.com/v1/accounts:lookup?key=KEY",
                "http://\(written):9099/securetoken.googleapis.com/v1/token?key=KEY",
            ]
        )
    }

    @Test("Plain HTTP to another machine needs permission")
    func otherMachine() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        auth.useEmulator(withHost: "emulator.example", port: 9099)
        let error = await expectFailure(.internalError) { try await auth.signInAnonymously() }
        #expect((error?.underlying as? HTTPError)?.code == .notHTTPS)
        #expect(world.firebase.sent.isEmpty)
        auth.useEmulator(withHost: "emulator.example", port: 9099, allowingPlainHTTP: true)
        try await auth.signInAnonymously()
        #expect(world.firebase.sent.allSatisfy { $0.url.hasPrefix("http://emulator.example:9099/") })
    }

    @Test("The variable holds host and port; without it Firebase itself is used")
    func variable() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        for text in ["http://127.0.0.1:9099", "127.0.0.1", "127.0.0.1:", ":9099", "127.0.0.1:99999", "::1:9099", "a:b"]
        {
            expectFailure(.internalError) { try auth.useEmulator(named: text, allowingPlainHTTP: false) }
        }
        for text in [nil, ""] { #expect(try !auth.useEmulator(named: text, allowingPlainHTTP: false)) }
        try await auth.signInAnonymously()
        #expect(world.firebase.sent.allSatisfy { $0.url.hasPrefix("https://") })
        world.firebase.forget()
        let other = try FirebaseFixture().app()
        #expect(try other.useEmulator(named: "[::1]:9099", allowingPlainHTTP: false))
        #expect(other.identityToolkit?.issuer == "http://[::1]:9099/identitytoolkit.googleapis.com/#KEY")
    }

    @Test("A session of Firebase itself is never sent to the emulator, and stays")
    func sessions() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        auth.useEmulator(withHost: "127.0.0.1", port: 9099)
        await expectFailure(.issuerMismatch) { try await user.getIDToken(forcingRefresh: true) }
        await expectFailure(.issuerMismatch) { try await user.reload() }
        #expect(world.firebase.sent.isEmpty)
        #expect(auth.currentUser?.uid == user.uid)
    }
}
