import Foundation
import Glibc
import TestSupport
import Testing

@testable import SharedAuth

extension Crashes {
    /// Kills a process at each step of a single write to an encrypted-file store.
    struct FileCrashTests {
        @Test("A write killed at any step, the first included, leaves the old or the new record")
        func writing() async throws {
            var points = 0
            for before in [nil, 1] {
                for moment in ["before", "after"] {
                    var number = 1
                    while try await dies(at: number, moment, before) {
                        number += 1
                        points += 1
                    }
                }
            }
            // Create, write, sync, rename and sync of the directory: twice for the store's first record, which also
            // writes a header.
            #expect(points == 30)
        }

        /// Returns whether there was such a step. If so, also checks the state afterwards.
        private func dies(at number: Int, _ moment: String, _ before: Int?) async throws -> Bool {
            let world = try AppFixture(on: .encryptedFile)
            let place: Comment = "killed \(moment) step \(number), \(before.map(String.init) ?? "nothing") stored"
            let victim = try await PeerProcess.started(world)
            if before != nil { try await victim.obey("add number 1") }
            try await victim.obey("arm kill \(number) \(moment)")
            victim.tell("add number 1")
            if (try? await victim.answer("add")) != nil { return false }
            #expect(victim.child.wait() == 128 + SIGKILL)
            // Damage would be thrown here.
            let left = try count(in: world)
            #expect([before ?? 0, (before ?? 0) + 1].contains(left), place)
            // Its lock is free immediately, the partial file is removed, and counting continues.
            let next = try await PeerProcess.started(world, deadline: 120_000)
            try await next.obey("add number 1")
            #expect(try count(in: world) == left + 1, place)
            let directory = try #require(world.files).directory
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.allSatisfy { !$0.hasSuffix(".new") }, place)
            try world.sweep()
            return true
        }

        @Test("A writer stopped midway makes others time out, and continues afterwards")
        func stopped() async throws {
            let world = try AppFixture(on: .encryptedFile)
            let victim = try await PeerProcess.started(world)
            try await victim.obey("add number 1")
            try await victim.obey("arm stop rename before")
            victim.tell("add number 1")
            #expect(await victim.hasStopped())
            let other = try await PeerProcess.started(world, deadline: 3000)
            // Reading does not wait for a writer.
            #expect(try count(in: world) == 1)
            other.tell("add number 1")
            let answer = try await other.answer("add")
            #expect(answer.message?.hasPrefix("timedOut") == true, "\(answer.message ?? "no error")")
            #expect(try count(in: world) == 1)
            victim.child.signal(SIGCONT)
            _ = try await victim.answer("add")
            try await other.obey("add number 1")
            #expect(try count(in: world) == 3)
        }

        private func count(in world: AppFixture) throws -> Int {
            let key = RecordKey(scope: .project, project: world.project, instance: AuthApp.defaultName, kind: "number")
            guard let record = try #require(world.files).store().record(key) else { return 0 }
            return Int(String(decoding: record.payload, as: UTF8.self)) ?? -1
        }
    }
}
