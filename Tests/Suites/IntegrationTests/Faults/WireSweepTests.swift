import TestSupport
import Testing

@testable import SharedAuth

extension WireSweeps {
    /// Injects a fault into each message of each operation: the daemon dies and returns locked, activated by the bus;
    /// the app's connection is cut; or the reply is an error.
    struct WireSweepTests {
        @Test(
            "A daemon that dies at any message loses no user, and the next start completes",
            arguments: FaultScenario.all + FaultScenario.more
        )
        func deaths(_ scenario: FaultScenario) async throws {
            try await sweep(scenario, WireFault.deaths, atATime: 1)
        }

        @Test(
            "A connection cut at any message loses no user, and the process continues",
            arguments: FaultScenario.all + FaultScenario.more
        )
        func cuts(_ scenario: FaultScenario) async throws {
            try await sweep(scenario, WireFault.cuts, atATime: 2)
        }

        @Test(
            "An error in place of any reply leaves all as it was or the operation done",
            arguments: FaultScenario.all + FaultScenario.more
        )
        func errors(_ scenario: FaultScenario) async throws {
            try await sweep(scenario, WireFault.errors, atATime: 2)
        }

        /// A keyring and a proxy for its bus, used for one case after another.
        private struct Lane: Sendable {
            let keyring: PrivateKeyring
            let proxy: BusProxy

            static let all = Result {
                try (0..<3).map { _ in
                    let keyring = try PrivateKeyring()
                    return Lane(keyring: keyring, proxy: try BusProxy(keyring))
                }
            }
        }

        private struct Case: Sendable {
            let fault: WireFault
            let number: Int
            let member: String
        }

        private func sweep(_ scenario: FaultScenario, _ faults: [WireFault], atATime count: Int) async throws {
            let lanes = try Lane.all.get()
            let wanted = try await scenario.outcome(lanes[0].keyring)
            // A call is sent twice if the daemon replied as if it did not know the method yet; the second count has no
            // such call.
            let counts = [try await countCalls(scenario, lanes[0]), try await countCalls(scenario, lanes[1])]
            let calls = counts[0].count <= counts[1].count ? counts[0] : counts[1]
            #expect(!calls.isEmpty)
            let cases = Sweep.points(of: Array(1...calls.count)).flatMap { number in
                WireFault.chosen(faults, for: number, of: scenario.name, count).map {
                    Case(fault: $0, number: number, member: calls[number - 1])
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, lane) in lanes.enumerated() {
                    group.addTask {
                        for one in stride(from: place, to: cases.count, by: lanes.count).map({ cases[$0] }) {
                            let place = "\(scenario.name), \(one.fault) at \(one.number), \(one.member)"
                            do {
                                try await check(scenario, one, place, wanted, lane)
                            } catch {
                                Issue.record(error, "\(place)")
                                if one.fault.kills { try lane.keyring.unlockActivated() }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            print("\(scenario.name): \(calls.count) messages, \(cases.count) faults on the wire")
        }

        private func countCalls(_ scenario: FaultScenario, _ lane: Lane) async throws -> [String] {
            let world = try AppFixture(lane.keyring)
            let (app, _) = try await start(scenario, world, lane)
            lane.proxy.count()
            try await scenario.perform(app)
            app.auth.waitUntilIdle()
            return lane.proxy.disarm()
        }

        /// Returns the app in the state before the operation, connected through the proxy, and a stranger connected
        /// directly.
        private func start(
            _ scenario: FaultScenario,
            _ world: AppFixture,
            _ lane: Lane
        ) async throws -> (TestApp, stranger: TestApp) {
            var proxied = world
            proxied.busAddress = lane.proxy.address
            let app = try TestApp(proxied, observesOtherProcesses: scenario.listens, timeout: .seconds(5))
            try await scenario.prepare(app, world)
            _ = app.auth.currentUser
            app.auth.waitUntilIdle()
            return (app, try FaultScenario.stranger(in: world))
        }

        private func check(
            _ scenario: FaultScenario,
            _ one: Case,
            _ place: String,
            _ wanted: WorldSnapshot,
            _ lane: Lane
        ) async throws {
            let fault = one.fault
            let world = try AppFixture(lane.keyring)
            defer { try? world.sweep() }
            let (app, stranger) = try await start(scenario, world, lane)
            let before = try WorldSnapshot(app, stranger)
            _ = app.announcements()
            lane.proxy.harm(fault.harm(lane.keyring), at: one.number)
            let began = ContinuousClock.now
            let failure = try await scenario.failure(on: app)
            let took = ContinuousClock.now - began
            app.auth.waitUntilIdle()
            let calls = lane.proxy.disarm()
            // An app that observes others also reads, sooner or later.
            #expect(calls.count >= one.number || scenario.listens, "\(place): there was no such call in \(calls)")
            #expect(took < .seconds(5), "\(place): took \(took)")
            let announced = app.announcements()
            let live = WorldSnapshot.live(app)
            if let failure, scenario.forces || fault.lies {
                // An app that observes others may have been notified that the operation was carried out.
                #expect(live == before.live || live == wanted.live, "\(place): \(failure)\nlive \(live)")
            } else if let failure {
                #expect(live == before.live, "\(place): \(failure)\nlive \(live), before \(before)")
                #expect(announced.isEmpty, "\(place): \(announced)")
            } else {
                #expect(live == wanted.live, "\(place)\nlive \(live), wanted \(wanted)")
            }
            if fault.kills, calls.count >= one.number {
                // A process that starts now activates the daemon and finds it locked.
                let early = try TestApp(world, identity: app.identity, listens: false)
                let state = await early.auth.ready()
                if case .locked = state {} else { Issue.record("\(place): started while locked: \(state)") }
                early.auth.waitUntilIdle()
                try lane.keyring.unlockActivated()
            }

            let after = try WorldSnapshot(app, stranger)
            for uid in Set(before.stored.values) where wanted.stored.values.contains(uid) {
                #expect(after.stored.values.contains(uid), "\(place): \(uid) is lost\n\(after)")
            }
            for (slot, uid) in after.stored {
                let isKnown = before.stored[slot] == uid || wanted.stored[slot] == uid
                #expect(isKnown, "\(place): \(uid) came to \(slot)\n\(after)")
            }
            if let failure, failure.code != .outcomeUnknown, !scenario.forces, !fault.lies {
                #expect(after == before, "\(place): \(failure)\nbefore \(before)\nafter  \(after)")
            }
            // No process searches for an item that the daemon reports as missing.
            if fault.saysGone, !fault.lies, one.member == "Delete" { return }

            // A new process settles the operation, or this one when it reads again.
            let next = one.number.isMultiple(of: 2) ? app : try TestApp(world, identity: app.identity)
            _ = await next.auth.ready()
            if next === app { _ = next.auth.engine.rereadSlot() }
            next.auth.waitUntilIdle()
            let settled = try WorldSnapshot(next, stranger)
            if failure == nil {
                #expect(settled == wanted, "\(place)\nsettled \(settled)\nwanted  \(wanted)")
            } else if next !== app, !scenario.forces, !fault.lies {
                let isLegal = settled == before || settled == wanted
                #expect(
                    isLegal,
                    "\(place): \(failure?.message ?? "")\nsettled \(settled)\nbefore  \(before)\nwanted  \(wanted)"
                )
            }
            if settled == wanted { return }
            let again = try await scenario.failure(on: next)
            #expect(again?.code == nil, "\(place), repeated: \(again?.message ?? "")")
            next.auth.waitUntilIdle()
            let repeated = try WorldSnapshot(next, stranger)
            #expect(repeated == wanted, "\(place), repeated\nafter  \(repeated)\nwanted \(wanted)")
        }
    }
}
