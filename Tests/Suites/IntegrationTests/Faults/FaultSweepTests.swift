import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension Sweeps {
    /// Lets each call of each operation fail once, in each way. An operation that fails leaves everything as it was.
    struct FaultSweepTests {
        private static let swept = Mutex(0)

        @Test("An operation happens completely or not at all, whichever call fails", arguments: FaultScenario.all)
        func sweep(_ scenario: FaultScenario) async throws {
            // The sweep uses its own keyrings: a daemon writes the whole keyring for each change, and there are many.
            let keyrings = try (0..<2).map { _ in try PrivateKeyring() }
            defer { for keyring in keyrings { keyring.shutdown() } }
            let calls = try await countCalls(scenario, keyrings[0])
            #expect(calls > 0)
            // The result of the operation without a fault.
            let wanted = try await scenario.outcome(keyrings[0])
            let points = Sweep.points(
                of: Fault.Kind.allCases.flatMap { kind in (1...max(1, calls)).map { (kind, $0) } }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (lane, keyring) in keyrings.enumerated() {
                    group.addTask {
                        for (kind, number) in stride(from: lane, to: points.count, by: keyrings.count).map({
                            points[$0]
                        }) {
                            try await check(scenario, kind, number, wanted, keyring)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let total = Self.swept.withLock { total in
                total += points.count
                return total
            }
            print("\(scenario.name): \(calls) calls, \(total) fault points swept so far")
        }

        private func countCalls(_ scenario: FaultScenario, _ keyring: PrivateKeyring) async throws -> Int {
            let fault = Fault()
            let world = try AppFixture(keyring)
            let app = try TestApp(world, interceptor: fault.interceptor)
            try await scenario.prepare(app, world)
            // Each check reads a snapshot at this point, too, so the app's state is the same there.
            _ = try WorldSnapshot(app, FaultScenario.stranger(in: world))
            app.auth.waitUntilIdle()
            fault.count()
            try await scenario.perform(app)
            return fault.calls
        }

        private func check(
            _ scenario: FaultScenario,
            _ kind: Fault.Kind,
            _ number: Int,
            _ wanted: WorldSnapshot,
            _ keyring: PrivateKeyring
        ) async throws {
            let place = "\(scenario.name), \(kind.rawValue) at call \(number)"
            let fault = Fault()
            let world = try AppFixture(keyring)
            let stranger = try FaultScenario.stranger(in: world)
            let app = try TestApp(world, interceptor: fault.interceptor)
            try await scenario.prepare(app, world)
            let before = try WorldSnapshot(app, stranger)
            _ = app.announcements()
            // The first load has ended.
            app.auth.waitUntilIdle()
            fault.fail(at: number, kind)
            let failure = try await scenario.failure(on: app)
            fault.disarm()
            // Two reads may become one; then nothing has failed.
            let isReached = fault.calls >= number || fault.calls == number - 1 && number > 1 && failure == nil
            #expect(isReached, "\(place): there were \(fault.calls) calls")
            let announced = app.announcements()
            let after = try WorldSnapshot(app, stranger)

            // No user is lost who was not to be removed.
            for uid in Set(before.stored.values) where wanted.stored.values.contains(uid) {
                #expect(after.stored.values.contains(uid), "\(place): \(uid) is lost\n\(after)")
            }
            guard let failure else {
                #expect(after.live == wanted.live, "\(place)\nafter  \(after)\nwanted \(wanted)")
                // A deletion that failed is noted and completed when the keyring works again.
                _ = app.auth.engine.rereadSlot()
                let settled = try WorldSnapshot(app, stranger)
                #expect(settled == wanted, "\(place)\nsettled \(settled)\nwanted  \(wanted)")
                return
            }
            if scenario.forces {
                // As in Firebase, the user is current but may not be stored.
                #expect(after.live == before.live || after.live == wanted.live, "\(place): \(failure)\nafter \(after)")
            } else {
                #expect(after.live == before.live, "\(place): \(failure)\nbefore \(before)\nafter  \(after)")
                #expect(announced.isEmpty, "\(place): \(announced)")
            }
            if failure.code != .outcomeUnknown, !scenario.forces {
                #expect(after == before, "\(place): \(failure)\nbefore \(before)\nafter  \(after)")
            }
            // Repeating the operation settles it, either in this app or in a new process of it.
            let next = number.isMultiple(of: 2) ? app : try TestApp(world, identity: app.identity)
            if next !== app {
                let restarted = try WorldSnapshot(next, stranger)
                let isSettled = restarted == before || restarted == wanted || scenario.forces
                #expect(isSettled, "\(place), restarted\n\(restarted)\nbefore \(before)\nwanted \(wanted)")
                if restarted == wanted { return }
            }
            let again = try await scenario.failure(on: next)
            #expect(again?.code == nil, "\(place), repeated: \(again?.message ?? "")")
            let repeated = try WorldSnapshot(next, stranger)
            #expect(repeated == wanted, "\(place), repeated\nafter  \(repeated)\nwanted \(wanted)")
        }
    }
}
