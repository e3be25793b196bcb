import Glibc
import TestSupport
import Testing

extension OneAtATime {
    /// However many processes hold an expired token, one of them refreshes it.
    struct OneRefreshTests {
        static let group = "group.example.refresh"

        @Test(
            "Of sixteen processes with one expired token, one asks the identity provider, and all have its answer",
            arguments: StoreKind.allCases
        )
        func sixteen(store: StoreKind) async throws {
            let world = try TestApp.World(on: store)
            let first = try await PeerProcess.started(world, group: Self.group, deaf: false, deadline: 20_000)
            // It expires within the five minutes that a token must last to be handed out.
            try await first.obey("sign-in x old 60")
            var peers = [first]
            for _ in 1..<16 {
                peers.append(try await PeerProcess.started(world, group: Self.group, deaf: false, deadline: 20_000))
            }
            for peer in peers { try await peer.obey("hold") }
            // While the first is in the middle of its exchange, the others ask too. Whoever began an exchange of its own
            // would be held there for good, and never answer.
            first.tell("token")
            _ = try await first.event("held")
            for peer in peers.dropFirst() { peer.tell("token") }
            first.tell("go")
            var tokens: [String?] = []
            for peer in peers { tokens.append(try await peer.answer("token").token) }
            #expect(Set(tokens).count == 1)
            #expect(tokens.first??.hasPrefix("x/refreshed-") == true)
        }

        @Test(
            "A process that dies in the middle of a refresh gives up its turn, and signs nobody out",
            arguments: StoreKind.allCases
        )
        func killedInTheMiddle(store: StoreKind) async throws {
            let world = try TestApp.World(on: store)
            let dying = try await PeerProcess.started(world, group: Self.group)
            try await dying.obey("sign-in x old 60")
            let other = try await PeerProcess.started(world, group: Self.group)
            try await dying.obey("hold")
            dying.tell("token")
            _ = try await dying.event("held")
            other.tell("token")
            dying.child.signal(SIGKILL)
            let token = try await other.answer("token").token
            #expect(token == "x/refreshed-\(other.child.processID)-1")
            #expect(try await other.obey("current").uid == "x")
        }
    }
}
