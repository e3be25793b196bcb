import Foundation
import Glibc
import TestSupport
import Testing

/// The number of changes that the busy app makes: the value of `SHAREDAUTH_CHANGES`, or 2,000, or 600 in a part of the
/// sweeps.
private let changes =
    unsafe getenv("SHAREDAUTH_CHANGES").flatMap { Int(unsafe String(cString: $0)) } ?? (Sweep.hasAllPoints ? 2000 : 600)

extension OneAtATime {
    /// Tests that long-lived processes hold no more descriptors, including main contexts, than at the start.
    struct LongLifeTests {
        static let group = "group.example.long-life"

        let world: AppFixture

        init() throws {
            world = try AppFixture(PrivateKeyring())
        }

        @Test("A busy app and two watchers end with the descriptors they began with")
        func changesAndRestarts() async throws {
            defer { world.keyring.shutdown() }
            let busy = try await PeerProcess.started(world, group: Self.group, observes: true)
            var watchers: [PeerProcess] = []
            for number in 1...2 {
                let appID = "com.example.Watcher\(number)"
                watchers.append(try await PeerProcess.started(world, appID: appID, group: Self.group, observes: true))
            }
            for watcher in watchers { try await watcher.obey("listen") }
            let all = [busy] + watchers

            try world.keyring.restartDaemon()
            try await change(100, in: busy, heardBy: watchers, last: "warm")
            let before = try await descriptors(of: all)
            for round in 1...8 {
                try await change(changes / 8, in: busy, heardBy: watchers, last: "round\(round)")
                try world.keyring.restartDaemon()
            }
            try await change(2, in: busy, heardBy: watchers, last: "end")
            #expect(try await descriptors(of: all) == before)
        }

        /// Returns the open descriptors of each process: the lowest of several counts, since GDBus's thread may be
        /// about to close one.
        private func descriptors(of peers: [PeerProcess]) async throws -> [Descriptors] {
            var fewest: [Descriptors] = []
            for peer in peers {
                var least = try Descriptors(peer)
                for _ in 1...10 {
                    try await peer.obey("current")
                    least = least.fewest(try Descriptors(peer))
                }
                fewest.append(least)
            }
            return fewest
        }

        /// Signs users in and out, and returns when each watcher has announced the last of them.
        private func change(
            _ count: Int,
            in app: PeerProcess,
            heardBy watchers: [PeerProcess],
            last uid: String
        ) async throws {
            for number in 1...max(1, count / 2) {
                try await app.obey("sign-in user\(number) token")
                try await app.obey("sign-out")
            }
            try await app.obey("sign-in \(uid) token")
            for watcher in watchers {
                _ = try await watcher.event("state", uid)
                _ = watcher.inbox.takeEvents()
                // The process responds when it has nothing left to do.
                try await watcher.obey("current")
            }
            try await app.obey("current")
        }
    }
}

/// The open descriptors of a process, counted by kind. Each GLib main context has an eventfd.
private struct Descriptors: Equatable, CustomStringConvertible {
    private var counts: [String: Int] = [:]

    init(_ peer: PeerProcess) throws {
        let path = "/proc/\(peer.child.processID)/fd"
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\(name)")
            // The targets of sockets and pipes contain a number, as in socket:[1234].
            counts[String(target.prefix { $0 != "[" || target.hasPrefix("anon_inode") }), default: 0] += 1
        }
    }

    /// Returns the smaller count of each kind.
    func fewest(_ other: Descriptors) -> Descriptors {
        var fewest = self
        for (kind, count) in counts { fewest.counts[kind] = other.counts[kind].map { min($0, count) } }
        return fewest
    }

    var description: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
