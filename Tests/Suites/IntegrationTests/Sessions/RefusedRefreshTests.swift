import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// Tests, with processes of several apps, refreshes that an identity provider refuses for a reason that lasts.
struct RefusedRefreshTests {
    static let group = "group.example.refused"
    private static let code = AuthErrorCode.requiresRecentLogin.rawValue

    /// Starts a process of an app whose identity provider refuses every refresh.
    private func start(_ app: String, _ world: AppFixture, observes: Bool = false) async throws -> PeerProcess {
        let peer = try await PeerProcess.started(
            world,
            appID: "com.example.\(app)",
            group: Self.group,
            observes: observes,
            options: ["--issuer", "one"]
        )
        try await peer.obey("refuse \(Self.code)")
        return peer
    }

    @Test(
        "However many processes ask, a refused refresh costs one request a minute",
        arguments: StoreKind.allCases
    )
    func oneRequest(on kind: StoreKind) async throws {
        let world = try AppFixture(on: kind)
        let first = try await start("One", world)
        try await first.obey("sign-in x 1 -1")
        let peers = [
            first, try await start("Two", world), try await start("Three", world), try await start("Four", world),
        ]
        // Two calls of each at the same time, and then one more of each.
        for commands in [["token", "refresh"], ["token"], ["refresh"]] {
            for peer in peers { for command in commands { peer.tell(command) } }
            for peer in peers {
                for command in commands { #expect(try await peer.answer(command).error == Self.code) }
            }
        }
        let late = try await start("Late", world)
        for command in ["token", "refresh"] {
            late.tell(command)
            #expect(try await late.answer(command).error == Self.code)
        }
        let requests = (peers + [late]).map { $0.inbox.events(["refused"]).count }
        #expect(requests.reduce(0, +) == 1, "\(requests)")
        // Nobody is signed out, and each process can say what is to be done.
        for peer in peers + [late] {
            let current = try await peer.obey("current")
            #expect(current.uid == "x" && current.state == "signedIn" && current.needsSignIn == true)
        }
    }

    @Test("A listener in another process hears that the user must sign in, and its end")
    func heard() async throws {
        let world = try AppFixture()
        let one = try await start("One", world)
        let two = try await start("Two", world, observes: true)
        try await two.obey("listen")
        try await one.obey("sign-in x 1 -1")
        #expect(try await two.event("state", "x").needsSignIn == false)
        one.tell("token")
        #expect(try await one.answer("token").error == Self.code)
        #expect(try await two.event("state", "x").needsSignIn == true)
        try await one.obey("sign-in x 2")
        #expect(try await two.event("state", "x").needsSignIn == false)
    }
}
