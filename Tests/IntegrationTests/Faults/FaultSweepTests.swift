import Synchronization
import Testing

@testable import SharedAuth

/// Every call of every operation fails once, in every way; an operation that fails leaves everything as it was.
struct FaultSweepTests {
    private static let swept = Mutex(0)

    @Test("An operation happens whole or not at all, whichever call fails", arguments: FaultScenario.all)
    func sweep(_ scenario: FaultScenario) async throws {
        let calls = try await countCalls(scenario)
        #expect(calls > 0)
        // What the operation does when nothing fails.
        let wanted = try await outcome(of: scenario)
        for kind in FaultPlan.Kind.allCases {
            for number in 1...calls { try await check(scenario, kind, number, wanted) }
        }
        let total = Self.swept.withLock { total in
            total += calls * FaultPlan.Kind.allCases.count
            return total
        }
        print("\(scenario.name): \(calls) calls, \(total) fault points swept so far")
    }

    private func countCalls(_ scenario: FaultScenario) async throws -> Int {
        let plan = FaultPlan()
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false, interceptor: plan.interceptor)
        try await scenario.prepare(app, world)
        plan.arm()
        try await scenario.perform(app)
        return plan.calls
    }

    private func check(
        _ scenario: FaultScenario,
        _ kind: FaultPlan.Kind,
        _ number: Int,
        _ wanted: WorldSnapshot
    ) async throws {
        let place = "\(scenario.name), \(kind.rawValue) at call \(number)"
        let plan = FaultPlan()
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false, interceptor: plan.interceptor)
        try await scenario.prepare(app, world)
        let before = try WorldSnapshot(app, world)
        _ = app.announcements()
        plan.arm(number, kind)
        var failure: AuthError?
        do {
            try await scenario.perform(app)
        } catch let error as AuthError {
            failure = error
        }
        plan.disarm()
        let announced = app.announcements()
        let after = try WorldSnapshot(app, world)
        if let failure {
            if scenario.forces {
                // As Firebase: the user is current, but maybe not stored.
                #expect(failure.code != .internalError, "\(place)")
            } else if failure.code == .outcomeUnknown {
                #expect(after.live == before.live, "\(place): \(failure)\nbefore \(before)\nafter  \(after)")
                #expect(
                    after.stored == before.stored || after.stored == wanted.stored || isBetween(after, scenario),
                    "\(place): \(failure)\nbefore \(before)\nafter  \(after)\nwanted \(wanted)"
                )
            } else {
                #expect(after == before, "\(place): \(failure)\nbefore \(before)\nafter  \(after)")
                #expect(announced.isEmpty, "\(place): \(announced)")
            }
            // Once the fault is gone, the same operation succeeds, in this process or after a restart.
            try await repeats(scenario, app, place)
            let repeated = try WorldSnapshot(app, world)
            #expect(repeated == wanted, "\(place), repeated\nafter  \(repeated)\nwanted \(wanted)")
        } else {
            #expect(after == wanted, "\(place)\nafter  \(after)\nwanted \(wanted)")
        }
        // Nobody is lost who was not meant to go.
        for uid in Set(before.stored.values) where wanted.stored.values.contains(uid) {
            #expect(after.stored.values.contains(uid), "\(place): \(uid) is lost\n\(after)")
        }
    }

    /// With an unknown outcome a migrating user may be in both slots, until the next start settles it.
    private func isBetween(_ after: WorldSnapshot, _ scenario: FaultScenario) -> Bool {
        guard let user = scenario.user, scenario.name.hasPrefix("migrate") else { return false }
        return after.stored.values.contains(user)
    }

    private func repeats(_ scenario: FaultScenario, _ app: TestApp, _ place: String) async throws {
        // Reading again settles what is unknown.
        try app.auth.useUserAccessGroup(app.auth.userAccessGroup)
        do {
            try await scenario.perform(app)
        } catch let error as AuthError {
            // A migration that was carried out after all has nobody left to move.
            if error.code != .nullUser { Issue.record("\(place), repeated: \(error)") }
        }
    }

    private func outcome(of scenario: FaultScenario) async throws -> WorldSnapshot {
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false)
        try await scenario.prepare(app, world)
        try await scenario.perform(app)
        return try WorldSnapshot(app, world)
    }
}
