import Dispatch
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension Sweeps {
    /// Tests the first load, and its completion of an interrupted switch or migration, under each fault.
    struct FirstLoadFaultTests {
        struct Start: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let choice: GroupChoice
            /// The uid by slot; the empty name is the app's own slot.
            let stored: [String: String]
            /// The slot whose revision the pending deletion names.
            var deletes: String?
            let wantedUser: String?
            let wantedGroup: String?
            let wantedStored: [String: String]
        }

        static let a = "group.example.a"
        static let starts = [
            Start(
                testDescription: "nothing pending",
                choice: GroupChoice(slot: .group(a)),
                stored: [a: "x"],
                wantedUser: "x",
                wantedGroup: a,
                wantedStored: [a: "x"]
            ),
            Start(
                testDescription: "no user stored",
                choice: GroupChoice(slot: .group(a)),
                stored: [:],
                wantedUser: nil,
                wantedGroup: a,
                wantedStored: [:]
            ),
            Start(
                testDescription: "a deletion pending",
                choice: GroupChoice(slot: .group(a)),
                stored: ["": "x", a: "y"],
                deletes: "",
                wantedUser: "y",
                wantedGroup: a,
                wantedStored: [a: "y"]
            ),
            Start(
                testDescription: "a migration pending whose copy arrived",
                choice: GroupChoice(slot: .own, pending: .migration(of: "x", to: .group(a))),
                stored: ["": "x", a: "x"],
                wantedUser: "x",
                wantedGroup: a,
                wantedStored: [a: "x"]
            ),
            Start(
                testDescription: "a migration pending whose user was signed out since",
                choice: GroupChoice(slot: .own, pending: .migration(of: "x", to: .group(a))),
                stored: [a: "x"],
                wantedUser: nil,
                wantedGroup: nil,
                wantedStored: [a: "x"]
            ),
            Start(
                testDescription: "a migration pending whose copy was never written",
                choice: GroupChoice(slot: .own, pending: .migration(of: "x", to: .group(a))),
                stored: ["": "x", a: "y"],
                wantedUser: "x",
                wantedGroup: nil,
                wantedStored: ["": "x", a: "y"]
            ),
        ]

        @Test(
            "A failed first load changes nothing, and the next start completes pending steps",
            arguments: starts
        )
        func load(_ start: Start) async throws {
            var points = 0
            for kind in Fault.Kind.allCases {
                // The number of calls varies: a call that meets another test's change is repeated.
                for number in stride(from: Sweep.first, to: .max, by: Sweep.step) {
                    let fault = Fault()
                    fault.fail(at: number, kind)
                    try await check(start, fault, "\(kind.rawValue) at call \(number)")
                    if fault.calls < number { break }
                    points += 1
                }
            }
            #expect(points * Sweep.step > Fault.Kind.allCases.count)
            print("first load, \(start.testDescription): \(points) fault points")
        }

        private func check(_ start: Start, _ fault: Fault, _ place: Comment) async throws {
            let world = try AppFixture()
            defer { try? world.sweep() }
            for (slot, uid) in start.stored { try world.put(world.account(uid), in: group(slot), appID: appID) }
            var choice = start.choice
            if let slot = start.deletes, let revision = try world.revision(group(slot), appID: appID) {
                choice.steps = [.deletion(of: group(slot).map(Slot.group) ?? .own, revision: revision)]
            }
            try world.journal(appID).change(by: .after(.seconds(20))) { $0 = choice }

            let app = try TestApp(world, listens: false, interceptor: fault.interceptor)
            let state = await app.auth.ready()
            // The load also calls to note the daemon after the state is known; these calls belong to it.
            app.auth.waitUntilIdle()
            fault.disarm()
            switch state {
            case .signedIn(let user): #expect(start.stored.values.contains(user.uid), place)
            case .signedOut: #expect(start.wantedUser == nil, place)
            // A failure that may be temporary is not kept: the next call that uses the keyring reads again.
            case .unavailable:
                _ = app.auth.engine.rereadSlot()
                let uid = app.auth.currentUser?.uid
                #expect(uid == nil || uid == start.wantedUser, place)
            default: Issue.record("\(state): \(place)")
            }
            for uid in start.wantedStored.values {
                let holders = try ["", Self.a].filter { slot in
                    try world.record(group(slot), appID: appID).accounts.contains { $0.uid == uid }
                }
                #expect(!holders.isEmpty, place)
            }

            let restarted = try TestApp(world, listens: false)
            #expect(restarted.auth.currentUser?.uid == start.wantedUser, place)
            #expect(restarted.auth.userAccessGroup == start.wantedGroup, place)
            restarted.auth.waitUntilIdle()
            for slot in ["", Self.a] {
                let current = try world.record(group(slot), appID: appID).current?.uid
                #expect(current == start.wantedStored[slot], "\(place): slot \(slot)")
            }
            #expect(try world.journal(appID).read().steps.isEmpty, place)
        }

        private let appID = "com.example.Mail"

        private func group(_ slot: String) -> String? { slot.isEmpty ? nil : slot }
    }
}
