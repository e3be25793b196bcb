import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OneAtATime {
    /// Tests that random calls of many processes on shared slots do what they may and say, and can be explained by one
    /// order.
    ///
    /// Three apps of two issuers, each with several processes, share two groups, and each app a slot of its own. The
    /// processes switch by hand, migrate users, and set tenants; a tool migrates all apps that use a slot.
    struct HistoryTests {
        static let groups = ["group.example.history1", "group.example.history2"]
        static let apps = ["One": "one", "Two": "two", "Three": "one"]
        /// The app of each process.
        static let processes = ["One", "One", "One", "Two", "Two", "Two", "Three", "Three"]
        /// The number of operations of a process, in parts between which the tool migrates users; `SHAREDAUTH_HISTORY`
        /// sets the number of operations of all processes.
        private static let length =
            ProcessInfo.processInfo.environment["SHAREDAUTH_HISTORY"].flatMap(Int.init).map { $0 / processes.count }
            ?? 120
        private static let part = 40
        /// The time limit of each call. A busy machine serves eight processes.
        static let timeout = Duration.seconds(60)

        @Test(
            "Eight processes' operations have an order that explains each result",
            .timeLimit(.minutes(5 + length / 100)),
            arguments: LockKind.allCases
        )
        func history(lock: LockKind) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            try await check("under \(lock)", world, locking: lock.argument(in: world))
        }

        @Test(
            "Operations on an encrypted-file store have an order that explains each result",
            .timeLimit(.minutes(5 + length / 100))
        )
        func files() async throws {
            try await check("on files", try AppFixture(on: .encryptedFile), locking: "automatic")
        }

        private func check(_ place: String, _ world: AppFixture, locking: String) async throws {
            let seed =
                ProcessInfo.processInfo.environment["HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
            print("history \(place): HISTORY_SEED=\(seed)")
            let (acts, operations) = try await run(world, locking, seed)
            let end = try await self.end(world, "HISTORY_SEED=\(seed)")
            for violation in HistoryRules.violations(in: acts, end: end).prefix(3) {
                Issue.record("HISTORY_SEED=\(seed): \(violation)")
            }
            let ends = end.map { slot, value in
                HistoryOperation(process: -1, register: slot, action: .read(value), began: .max - 1, ended: .max)
            }
            let all = operations + acts.flatMap(\.operations) + ends
            for contradiction in LinearizabilityChecker.contradictions(in: all) {
                let operation = contradiction.operation
                let act = acts.first { $0.process == operation.process && $0.operations.contains(operation) }
                Issue.record("HISTORY_SEED=\(seed): \(contradiction)\nIt is of \(act.map { "\($0)" } ?? "no call").")
            }
            #expect(acts.count > 8 * Self.length / 2)
            let writes = acts.flatMap(\.updates).count { $0.before != $0.after }
            let refusals = acts.count { $0.error != nil }
            print(
                "history \(place): \(acts.count) calls, \(refusals) refused, \(writes) writes, \(all.count) operations on "
                    + "\(Set(all.map(\.register)).count) registers"
            )
        }

        private func run(
            _ world: AppFixture,
            _ locking: String,
            _ seed: UInt64
        ) async throws -> (acts: [HistoryAct], operations: [HistoryOperation]) {
            let tool = MigratingTool(world, process: Self.processes.count, locking)
            let used = TestDirectory.newPath()
            try FileManager.default.createDirectory(atPath: used, withIntermediateDirectories: true)
            return try await withThrowingTaskGroup(of: ([HistoryAct], [HistoryOperation]).self) { group in
                for (process, app) in Self.processes.enumerated() {
                    group.addTask {
                        let peer = try await PeerProcess.started(
                            world,
                            appID: "com.example.\(app)",
                            locking: locking,
                            observes: !process.isMultiple(of: 2),
                            deadline: Int(Self.timeout.components.seconds) * 1000,
                            options: ["--issuer", Self.apps[app] ?? "", "--used", used, "--recording"]
                        )
                        var random = SeededRandom(seed: seed ^ UInt64(process))
                        var (acts, operations): ([HistoryAct], [HistoryOperation]) = ([], [])
                        for first in stride(from: 1, through: Self.length, by: Self.part) {
                            let count = min(Self.part, Self.length - first + 1)
                            let words = ["\(process)", "\(seed &+ UInt64(process) << 32)", "\(first)", "\(count)"]
                            let line = try await peer.obey("history \((words + Self.groups).joined(separator: " "))")
                            acts += line.acts ?? []
                            operations += line.operations ?? []
                            acts += try tool.migrate(&random)
                        }
                        // Only an issuer's own apps use its tokens.
                        #expect(peer.inbox.events(["foreign"]).isEmpty)
                        return (acts, operations)
                    }
                }
                return try await group.reduce(into: ([], [])) {
                    $0.0 += $1.0
                    $0.1 += $1.1
                }
            }
        }

        /// Starts each app once more, which finishes what is left to do, and returns the contents of the slots.
        private func end(_ world: AppFixture, _ place: Comment) async throws -> [String: String?] {
            var end: [String: String?] = [:]
            for app in Self.apps.keys {
                let appID = "com.example.\(app)"
                let start = try await PeerProcess(world, appID: appID, options: ["--issuer", Self.apps[app] ?? ""])
                    .answer("start")
                let choice = try world.journal(appID).read()
                #expect(choice.steps.isEmpty, place)
                #expect(start.group == choice.slot.groupName, place)
                #expect(start.uid == (try world.record(start.group, appID: appID).current?.uid), place)
                end["app:\(appID)"] = SlotText.of(try world.record(nil, appID: appID))
            }
            for group in Self.groups { end["group:\(group)"] = SlotText.of(try world.record(group, appID: "")) }
            return end
        }
    }
}

/// A tool that migrates the users of all apps that use a slot, now and then.
private struct MigratingTool: Sendable {
    private let world: AppFixture
    private let process: Int
    private let locking: CrossProcessLocking

    init(_ world: AppFixture, process: Int, _ locking: String) {
        (self.world, self.process) = (world, process)
        self.locking =
            switch locking {
            case "bus-name": .busName
            case "automatic": .automatic
            default: .file(directory: String(locking.dropFirst("file:".count)))
            }
    }

    /// Migrates the users of one slot to another, and returns an act for each app or group.
    func migrate(_ random: inout SeededRandom) throws -> [HistoryAct] {
        let groups = OneAtATime.HistoryTests.groups
        let target = groups.randomElement(using: &random) ?? groups[0]
        let source = [nil, groups.first { $0 != target }].randomElement(using: &random) ?? nil
        if let files = world.files { return try migrate(from: source, to: target, RecordingStore(files.store())) }
        let configuration = SecretService.Configuration(
            busAddress: .address(world.busAddress),
            timeout: OneAtATime.HistoryTests.timeout
        )
        let store = SecretServiceRecordStore(SecretService(configuration), locking: locking)
        return try migrate(from: source, to: target, RecordingStore(store))
    }

    private func migrate<Base: RecordListing>(
        from source: String?,
        to target: String,
        _ store: RecordingStore<Base>
    ) throws -> [HistoryAct] {
        let migration = try world.migration(
            from: source,
            to: target,
            store: store,
            timeout: OneAtATime.HistoryTests.timeout
        )
        let began = Monotonic.now()
        return try migration.plan(for: .all).map { step in
            _ = migration.perform(step)
            let slot = source.map { "group:\($0)" } ?? "app:\(step.appIDs.first ?? "")"
            return HistoryAct(
                process: process,
                ownSlot: nil,
                .move(from: slot, to: "group:\(target)"),
                before: .init(slot: slot),
                after: .init(slot: "group:\(target)"),
                updates: store.takeUpdates(),
                began: began,
                ended: Monotonic.now()
            )
        }
    }
}
