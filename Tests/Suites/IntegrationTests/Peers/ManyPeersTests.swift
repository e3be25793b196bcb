import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OneAtATime {
    /// Tests many processes that watch one group.
    struct FanOutTests {
        static let group = "group.example.fan"
        /// Each process watches the directory of the bus socket by inotify. Linux gives a user 128 instances by
        /// default, and the message buses of tests that run at the same time need some, too.
        static let count = 64

        private static let changes = Sweep.hasAllPoints ? 1000 : 300

        @Test("Every process sees every change, and after hundreds of changes all agree")
        func everyChange() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let arguments = ["--app-id", "com.example.Watcher", "--project", "fan"]
            let chosen = try keyring.run(BuiltProducts.executable("sharedauth"), ["use-group", Self.group] + arguments)
            #expect(chosen.status == 0)
            let watchers = try WatcherFan(Self.count, in: keyring, arguments: arguments)
            #expect(watchers.agreement(on: nil) == Self.count)

            var world = try AppFixture(keyring)
            world.project = "fan"
            let writer = try TestApp(world, listens: false)
            try writer.auth.useUserAccessGroup(Self.group)
            for number in 1...20 {
                try await writer.signIn("user\(number)")
                #expect(watchers.agreement(on: "user\(number)") == Self.count)
            }
            let everything: [String?] = [nil] + (1...20).map { "user\($0)" }
            #expect(watchers.histories.allSatisfy { $0 == everything })

            for number in 1...Self.changes { try await writer.signIn("burst\(number)") }
            #expect(watchers.agreement(on: "burst\(Self.changes)") == Self.count)
        }
    }
}

extension OneAtATime {
    /// Tests many processes that change one record.
    struct LoadTests {
        @Test("Sixteen processes make a hundred atomic updates each, and none is lost")
        func sixteenHundred() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            var peers: [PeerProcess] = []
            for _ in 0..<16 { peers.append(try await PeerProcess.started(world, deadline: 60_000)) }
            let began = RevisionSource.live.milliseconds
            for peer in peers { peer.tell("add load 100") }
            for peer in peers { #expect(try await peer.answer("add").error == nil) }
            let key = RecordKey(scope: .project, project: world.project, instance: AuthApp.defaultName, kind: "load")
            let store = keyring.makeStore()
            let record = try #require(try store.read(key, by: .after(.seconds(20))).whole)
            #expect(String(decoding: record.payload, as: UTF8.self) == "1600")
            // The first write's counter comes from the clock, 1599 writes follow.
            #expect(record.revision.counter >= began + 1599 && record.revision.counter < began + 1599 + 600_000)
        }
    }
}

extension StoredRecord {
    fileprivate var whole: Record? { if case .whole(let record) = self { record } else { nil } }
}

extension OneAtATime {
    /// Tests that one of many processes with an expired token refreshes it.
    struct OneRefreshTests {
        static let group = "group.example.refresh"

        @Test(
            "Of sixteen processes with an expired token, one refreshes; all get the result",
            arguments: StoreKind.allCases
        )
        func sixteen(store: StoreKind) async throws {
            let world = try AppFixture(on: store)
            let first = try await PeerProcess.started(world, group: Self.group, observes: true, deadline: 20_000)
            // The token has expired.
            try await first.obey("sign-in x old 0")
            var peers = [first]
            for _ in 1..<16 {
                peers.append(try await PeerProcess.started(world, group: Self.group, observes: true, deadline: 20_000))
            }
            for peer in peers { try await peer.obey("hold") }
            // The others request tokens during the first one's exchange. A process that began its own exchange would be
            // held in it and never respond.
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
            "A process that dies in a refresh releases its turn, and no user is signed out",
            arguments: StoreKind.allCases
        )
        func killedInTheMiddle(store: StoreKind) async throws {
            let world = try AppFixture(on: store)
            let dying = try await PeerProcess.started(world, group: Self.group)
            try await dying.obey("sign-in x old 0")
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
