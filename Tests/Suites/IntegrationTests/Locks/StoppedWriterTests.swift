import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Stops an app before each Secret Service call of a change, moves its user meanwhile unless the stopped process
    /// holds the turn, and continues the app.
    struct StoppedWriterTests {
        private static let (a, b) = ("group.example.a", "group.example.b")
        private static let appID = "com.example.Stopped"

        enum Change: String, CaseIterable {
            case signIn = "sign-in y 1"
            case signOut = "sign-out"
            case refresh
            case migrate = "migrate group.example.b fail"
            case useGroup = "use-group group.example.b"

            var verb: String { rawValue.split(separator: " ").first.map(String.init) ?? rawValue }
        }

        @Test(
            "A change stopped while its user is moved leaves the user in one slot at most",
            arguments: Change.allCases
        )
        func moved(_ change: Change) async throws {
            var (points, moves) = (0, 0)
            while let hasMoved = try await isMoved(at: points + 1, change) {
                points += 1
                moves += hasMoved ? 1 : 0
            }
            print("stopped writer: \(change.rawValue), \(points) points, \(moves) moves in between")
            #expect(moves > 0 && moves < points)
        }

        /// Returns whether the user was moved while the app was stopped; nil if the change makes fewer calls.
        private func isMoved(at number: Int, _ change: Change) async throws -> Bool? {
            let world = try AppFixture()
            defer { try? world.sweep() }
            try world.put(world.account("x"), in: nil, appID: Self.appID)
            let app = try await PeerProcess.started(world, appID: Self.appID)
            try await app.obey("arm stop \(number) before")
            app.tell(change.rawValue)
            // The app ends after the change, unless it is stopped before.
            app.endCommands()
            guard await app.hasStopped() else { return nil }
            let hasMoved = try move(world)
            app.child.signal(SIGCONT)
            let answer = try await app.answer(change.verb)
            let place: Comment = """
                \(change.rawValue), stopped before call \(number), \(hasMoved ? "moved" : "not moved"), \
                \(answer.message ?? "done")
                """
            try await expectEnd(of: change, isDone: answer.error == nil, world, place)
            return hasMoved
        }

        /// Moves the user from the app's own slot to a group, unless the stopped app holds the turn to change one of
        /// the two slots.
        private func move(_ world: AppFixture) throws -> Bool {
            let configuration = SecretService.Configuration(
                busAddress: .address(world.busAddress),
                timeout: .seconds(20)
            )
            let migration = try UserMigration(
                from: nil,
                to: Self.a,
                project: world.project,
                store: .custom(SecretServiceRecordStore(SecretService(configuration))),
                stateDirectories: StateDirectories(own: world.state, home: "/nonexistent", given: []),
                timeout: .milliseconds(300)
            )
            let outcomes = try migration.plan(for: .named([Self.appID])).flatMap { migration.perform($0) }
            return outcomes.map(\.kind) == [.moved]
        }

        private func expectEnd(of change: Change, isDone: Bool, _ world: AppFixture, _ place: Comment) async throws {
            let next = try PeerProcess(world, appID: Self.appID)
            let start = try await next.answer("start")
            let places = try [nil, Self.a, Self.b].filter { try world.uids($0, appID: Self.appID).contains("x") }
            let chosen = try world.journal(Self.appID).read().slot.groupName
            #expect(start.group == chosen, place)
            #expect(start.uid == (try world.record(chosen, appID: Self.appID).current?.uid), place)
            switch change {
            case .signIn where isDone:
                #expect(start.uid == "y", place)
                #expect(places.isEmpty, place)
            case .signOut where isDone:
                #expect(start.uid == nil, place)
                #expect(places.isEmpty, place)
            case .useGroup where isDone:
                #expect(chosen == Self.b, place)
                #expect(places.isEmpty || places == [Self.a], place)
            case .migrate, .refresh, .signIn, .signOut, .useGroup:
                #expect(places == [chosen], place)
                #expect(start.uid == "x", place)
            }
        }
    }
}
