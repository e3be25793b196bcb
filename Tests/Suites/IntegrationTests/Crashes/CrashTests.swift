import Glibc
import TestSupport
import Testing

@testable import SharedAuth

extension Crashes {
    /// Kills a process at each Secret Service call that it makes while it moves between slots, or at each step of an
    /// encrypted-file store that changes something.
    ///
    /// Between two calls the process changes at most one other file. Killing it before and after each call therefore
    /// also covers the moments before and after each file operation.
    struct CrashTests {
        @Test(
            "A process killed anywhere in a migration loses no user; a new start finishes it",
            arguments: CrashCase.migrations
        )
        func migration(_ crash: CrashCase) async throws {
            try await sweep(crash)
        }

        @Test("A process killed anywhere while joining a group is in the group or not", arguments: CrashCase.switches)
        func joining(_ crash: CrashCase) async throws {
            try await sweep(crash)
        }

        @Test(
            "A process killed anywhere in a file store's write loses no user",
            arguments: CrashCase.migrations + CrashCase.switches
        )
        func files(_ crash: CrashCase) async throws {
            try await sweep(crash, on: .encryptedFile)
        }

        private func sweep(_ crash: CrashCase, on store: StoreKind = .secretService) async throws {
            var points = 0
            // At least the number of points, of which a part may be visited.
            var bound = 0
            // Other points after than before: a partial sweep then visits at least one of two.
            let first = Sweep.first
            for (moment, first) in [("before", first), ("after", first % Sweep.step + 1)] {
                var number = first
                while try await dies(at: number, moment, crash, on: store) {
                    number += Sweep.step
                    points += 1
                }
                bound += number - 1
            }
            #expect(points > 0)
            #expect(bound > (store == .secretService ? 10 : 3))
            print("crash points: \(points) (\(store), \(crash.testDescription))")
        }

        /// Returns whether there was such a point. If so, also checks the state afterwards.
        private func dies(
            at number: Int,
            _ moment: String,
            _ crash: CrashCase,
            on store: StoreKind
        ) async throws -> Bool {
            let world = try crash.world(on: store)
            defer { try? world.sweep() }
            let victim = try await PeerProcess.started(world, appID: CrashCase.appID)
            try await victim.obey("arm kill \(number) \(moment)")
            victim.tell(crash.command)
            if let answer = try? await victim.answer(crash.command.split(separator: " ").first.map(String.init) ?? "") {
                #expect(answer.error == nil, "\(answer.message ?? "")")
                try expectEnd(of: crash, world, group: answer.group, uid: answer.uid)
                return false
            }
            #expect(victim.child.wait() == 128 + SIGKILL)
            let place: Comment = "\(crash.testDescription), killed \(moment) call \(number)"
            try expectNobodyLost(crash, world, place)

            let restarted = try PeerProcess(world, appID: CrashCase.appID)
            let start = try await restarted.answer("start")
            try expectConsistency(crash, world, start, place)
            let repeated = try await restarted.obey(crash.command)
            try expectEnd(of: crash, world, group: repeated.group, uid: repeated.uid, place)
            return true
        }

        private func expectNobodyLost(_ crash: CrashCase, _ world: AppFixture, _ place: Comment) throws {
            guard crash.moves else { return }
            let source = try world.record(crash.from, appID: CrashCase.appID)
            let target = try world.record(crash.to, appID: CrashCase.appID)
            #expect(source.current?.uid == "x" || target.current?.uid == "x", place)
            // The target's former user is replaced when the new user is stored, not earlier.
            if let occupant = crash.occupant { #expect(["x", occupant].contains(target.current?.uid), place) }
        }

        /// Expects that after a restart the operation has happened completely or not at all.
        private func expectConsistency(
            _ crash: CrashCase,
            _ world: AppFixture,
            _ start: PeerLine,
            _ place: Comment
        ) throws {
            let source = try world.record(crash.from, appID: CrashCase.appID)
            let target = try world.record(crash.to, appID: CrashCase.appID)
            let choice = try world.journal(CrashCase.appID).read()
            #expect(choice.steps.isEmpty, place)
            #expect(choice.slot.groupName == start.group, place)
            if start.group == crash.from {
                #expect(start.uid == "x", place)
                #expect(source.current?.uid == "x", place)
                #expect(target.current?.uid == crash.occupant, place)
            } else {
                #expect(start.group == crash.to, place)
                #expect(start.uid == (crash.moves ? "x" : crash.occupant), place)
                #expect(target.current?.uid == start.uid, place)
                #expect(source.accounts.isEmpty, place)
            }
        }

        private func expectEnd(
            of crash: CrashCase,
            _ world: AppFixture,
            group: String?,
            uid: String?,
            _ place: Comment? = nil
        ) throws {
            let user = crash.moves ? "x" : crash.occupant
            #expect(group == crash.to, place)
            #expect(uid == user, place)
            #expect(try world.record(crash.from, appID: CrashCase.appID).accounts.isEmpty, place)
            let target = try world.record(crash.to, appID: CrashCase.appID)
            #expect(target.accounts.map(\.uid) == (user.map { [$0] } ?? []), place)
            #expect(try world.journal(CrashCase.appID).read() == GroupChoice(slot: crash.to.map(Slot.group) ?? .own))
        }
    }
}

/// A move from slot to slot during which a process is killed.
struct CrashCase: Sendable, CustomTestStringConvertible {
    enum Target: String, Sendable, CaseIterable {
        case empty
        case sameUser
        case anotherUser
    }

    static let appID = "com.example.Crash"
    static let a = "group.example.a"
    static let b = "group.example.b"

    let from: String?
    let to: String?
    let target: Target
    /// The command that the process executes.
    let command: String
    /// True if it moves the user. Otherwise it leaves the user behind, as in Firebase.
    let moves: Bool

    var testDescription: String { "\(command), from \(from ?? "-"), target \(target.rawValue)" }

    static let migrations: [CrashCase] = [(nil, a), (a, b), (a, nil)].flatMap { from, to in
        Target.allCases.map { target in
            CrashCase(from: from, to: to, target: target, command: "migrate \(to ?? "-") replace", moves: true)
        }
    }

    static let switches: [CrashCase] = Target.allCases.map { target in
        CrashCase(from: nil, to: a, target: target, command: "use-group \(a)", moves: false)
    }

    /// The user of the target beforehand; nil if it is empty.
    var occupant: String? {
        switch target {
        case .empty: nil
        case .sameUser: "x"
        case .anotherUser: "y"
        }
    }

    /// Returns a fixture with the slots as they are before the move.
    func world(on store: StoreKind) throws -> AppFixture {
        let world = try AppFixture(on: store)
        try world.put(world.account("x"), in: from, appID: Self.appID)
        // The same user has other tokens there.
        if let occupant { try world.put(world.account(occupant, "2"), in: to, appID: Self.appID) }
        if from != nil { try world.choose(from, appID: Self.appID) }
        return world
    }
}
