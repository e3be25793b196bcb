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
            "A process killed anywhere in a migration loses no user; a start finishes it",
            arguments: CrashCase.migrations
        )
        func migration(_ crash: CrashCase) async throws {
            try await sweep(crash)
        }

        @Test("A tool killed anywhere in a migration loses no user; a start finishes it", arguments: CrashCase.moves)
        func move(_ crash: CrashCase) async throws {
            try await sweep(crash)
        }

        @Test("A process killed anywhere in a switch is in the group or not", arguments: CrashCase.switches)
        func joining(_ crash: CrashCase) async throws {
            try await sweep(crash)
        }

        @Test(
            "A process killed while it stores the user it has brought stores both or none",
            arguments: CrashCase.arrivals
        )
        func arriving(_ crash: CrashCase) async throws {
            try await sweep(crash)
        }

        @Test(
            "A process killed anywhere in a file store's write loses no user",
            arguments: CrashCase.migrations + CrashCase.switches.filter(\.leavesUser)
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
            #expect(bound > (store == .encryptedFile ? 3 : crash.leastCalls))
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
            let place: Comment = "\(crash.testDescription), killed \(moment) call \(number)"
            let victim = try await PeerProcess.started(world, appID: crash.victim)
            for command in crash.preparation { try await victim.obey(command) }
            let witnesses = crash.target == .anotherUser ? try await CrashWitnesses(crash, world) : nil
            try await victim.obey("arm kill \(number) \(moment)")
            victim.tell(crash.command)
            if let answer = try? await victim.answer(crash.command.split(separator: " ").first.map(String.init) ?? "") {
                #expect(answer.error == nil, "\(answer.message ?? "")")
                try await expectEnd(of: crash, world, after: answer, place)
                try await witnesses?.expectEnd(place)
                return false
            }
            #expect(victim.child.wait() == 128 + SIGKILL)
            try expectNobodyLost(crash, world, place)

            let restarted = try PeerProcess(world, appID: CrashCase.appID)
            let start = try await restarted.answer("start")
            try expectConsistency(crash, world, start, place)
            if crash.act == .arrival {
                // Whom the process had brought along is gone with it, as in Firebase.
                try await restarted.obey("sign-in x 1")
                try await witnesses?.expectEnd(place)
                return true
            }
            // What concerns several apps is finished once each has started.
            if crash.hasSeveralApps {
                _ = try await PeerProcess.started(world, appID: CrashWitnesses.peerID)
                try expectUserWhereUsed(crash, world, place)
            }
            let again = crash.act == .move ? try await PeerProcess.started(world, appID: crash.victim) : restarted
            try await expectEnd(of: crash, world, after: try await again.obey(crash.command), place)
            try await witnesses?.expectEnd(place)
            return true
        }

        private func expectNobodyLost(_ crash: CrashCase, _ world: AppFixture, _ place: Comment) throws {
            let source = try world.record(crash.from, appID: CrashCase.appID)
            let target = try world.record(crash.to, appID: CrashCase.appID)
            if crash.moves { #expect(source.current?.uid == "x" || target.current?.uid == "x", place) }
            if crash.act == .join { #expect(crash.leavesUser || source.current?.uid == "x", place) }
            // The target's former user is replaced when the new user is stored, not earlier.
            if let occupant = crash.occupant { #expect(["x", occupant].contains(target.current?.uid), place) }
            if crash.act == .join { #expect(target.current?.uid == crash.occupant, place) }
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
            if crash.hasSeveralApps {
                // The others may still need the source.
                #expect(start.uid == "x", place)
                return
            }
            if crash.act == .arrival {
                #expect(start.group == crash.to, place)
                #expect(["x", crash.occupant].contains(start.uid), place)
                #expect(target.current?.uid == start.uid && source.accounts.isEmpty, place)
            } else if start.group == crash.from {
                #expect(start.uid == "x", place)
                #expect(source.current?.uid == "x", place)
                #expect(target.current?.uid == crash.occupant, place)
            } else {
                #expect(start.group == crash.to, place)
                #expect(start.uid == (crash.moves ? "x" : crash.occupant), place)
                #expect(target.current?.uid == start.uid, place)
                #expect(source.accounts.map(\.uid) == crash.stayers, place)
            }
        }

        /// Expects the user in the slots that the two apps use, and in no other.
        private func expectUserWhereUsed(_ crash: CrashCase, _ world: AppFixture, _ place: Comment) throws {
            let apps = [CrashCase.appID, CrashWitnesses.peerID]
            let choices = try apps.map { try world.journal($0).read() }
            #expect(choices.allSatisfy { $0.steps.isEmpty }, place)
            for group in [crash.from, crash.to].compactMap(\.self) {
                // A peer that was at the target before has another user there.
                let isUsed = choices.prefix(crash.to == nil ? 2 : 1).contains { $0.slot == .group(group) }
                #expect(try world.uids(group).contains("x") == isUsed, place)
            }
            for (app, choice) in zip(apps, choices) {
                let own = try world.record(nil, appID: app).accounts.map(\.uid)
                #expect(own.contains("x") == (choice.slot == .own), place)
            }
        }

        /// Expects that the operation has happened completely.
        private func expectEnd(
            of crash: CrashCase,
            _ world: AppFixture,
            after answer: PeerLine,
            _ place: Comment
        ) async throws {
            let user = crash.act == .join ? crash.occupant : "x"
            // A tool shows nobody: the app's next start does.
            let app = crash.act == .move ? try await PeerProcess(world, appID: CrashCase.appID).answer("start") : answer
            #expect(app.group == crash.to, place)
            #expect(app.uid == user, place)
            #expect(try world.record(crash.from, appID: CrashCase.appID).accounts.map(\.uid) == crash.stayers, place)
            let target = try world.record(crash.to, appID: CrashCase.appID)
            #expect(target.accounts.map(\.uid) == (user.map { [$0] } ?? []), place)
            #expect(try world.journal(CrashCase.appID).read() == GroupChoice(slot: crash.to.map(Slot.group) ?? .own))
        }
    }
}
