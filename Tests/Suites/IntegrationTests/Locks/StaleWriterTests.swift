import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Tests a process that writes from a stale copy; a peer's change in the meantime stays.
    struct StaleWriterTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let writing: String
            let peer: String
            /// True if the peer acts during the exchange with the identity provider, not before it.
            let isDuring: Bool
            let lock: LockKind
            var testDescription: String { "\(writing), \(isDuring ? "during" : "after") \(peer), \(lock.rawValue)" }
        }

        static let group = "group.example.stale"
        static let cases = ["refresh", "reload", "rename New"].flatMap { writing in
            ["sign-out", "sign-in y 1", "sign-in x 2"].flatMap { peer in
                [false, true].flatMap { isDuring in
                    LockKind.allCases.map { Case(writing: writing, peer: peer, isDuring: isDuring, lock: $0) }
                }
            }
        }

        @Test("Refresh, reload and profile change adopt a peer's change and restore no user", arguments: cases)
        func adopts(_ test: Case) async throws {
            let world = try AppFixture()
            try world.put(world.account("x"), in: Self.group, appID: "")
            let (writer, peer) = try await pair(world, test.lock)
            let verb = String(test.writing.split(separator: " ")[0])
            if test.isDuring {
                try await writer.obey("hold")
                writer.tell(test.writing)
                _ = try await writer.event("held")
                try await peer.obey(test.peer)
                writer.tell("go")
            } else {
                try await peer.obey(test.peer)
                writer.tell(test.writing)
            }
            let left = try world.contents()
            let answer = try await writer.answer(verb)
            #expect(answer.error == nil, "\(answer.message ?? "")")

            let now = try await writer.obey("current")
            let stored = try world.record(Self.group, appID: "")
            switch test.peer {
            case "sign-out":
                #expect(now.uid == nil)
                #expect(try world.items().isEmpty)
            case "sign-in y 1":
                #expect(now.uid == "y")
                #expect(now.token == "y/1")
                #expect(try world.contents().items == left.items)
            default:
                // The same user with newer tokens: they stay, and a new name is stored with them.
                #expect(now.token == "x/2")
                #expect(stored.currentAccount?.tokens.refreshToken == "x/2")
                if verb != "refresh" { #expect(stored.currentAccount?.profile.displayName == now.name) }
            }
        }

        @Test(
            "A repeated anonymous sign-in adopts newer tokens and restores no deleted user",
            arguments: ["sign-out", "sign-in y 1", "sign-in-anonymously n 2"],
            LockKind.allCases
        )
        func anonymous(peerCommand: String, lock: LockKind) async throws {
            let world = try AppFixture()
            try world.put(world.account("n", anonymous: true), in: Self.group, appID: "")
            let (writer, peer) = try await pair(world, lock)
            if peerCommand.hasSuffix("n 2") { try await peer.obey("sign-out") }
            try await peer.obey(peerCommand)
            let answer = try await writer.obey("sign-in-anonymously m 3")
            let stored = try world.record(Self.group, appID: "").currentAccount
            #expect(stored?.tokens.refreshToken == answer.token)
            // Without an anonymous user, this is a new, explicit sign-in.
            #expect(answer.token == (peerCommand.hasSuffix("n 2") ? "n/2" : "m/3"))
        }

        @Test("updateCurrentUser restores a user a peer just signed out, announced once each")
        func putBack() async throws {
            let world = try AppFixture()
            try world.put(world.account("x"), in: Self.group, appID: "")
            let writer = try await PeerProcess.started(world, appID: "com.example.A", group: Self.group, observes: true)
            let peer = try await PeerProcess.started(world, appID: "com.example.B", group: Self.group, observes: true)
            for process in [writer, peer] {
                try await process.obey("listen")
                _ = try await process.event("state", "x")
                _ = try await process.event("token", "x")
            }
            try await writer.obey("keep")
            try await peer.obey("sign-out")
            for process in [writer, peer] {
                _ = try await process.event("state")
                #expect(try await process.event("token").uid == nil)
            }
            #expect(try await writer.obey("put-back").uid == "x")
            for process in [writer, peer] {
                _ = try await process.event("state", "x")
                _ = try await process.event("token", "x")
            }
            #expect(try world.record(Self.group, appID: "").current?.uid == "x")
            // After one more change, all earlier events have arrived.
            try await peer.obey("sign-in y 1")
            for process in [writer, peer] {
                #expect(try await process.event("token").uid == "y")
                #expect(try await process.event("state").uid == "y")
                #expect(process.inbox.takeEvents().isEmpty)
            }
        }

        private func pair(_ world: AppFixture, _ lock: LockKind) async throws -> (PeerProcess, PeerProcess) {
            let locking = lock.argument(in: world)
            return (
                try await PeerProcess.started(world, appID: "com.example.A", group: Self.group, locking: locking),
                try await PeerProcess.started(world, appID: "com.example.B", group: Self.group, locking: locking)
            )
        }
    }
}
