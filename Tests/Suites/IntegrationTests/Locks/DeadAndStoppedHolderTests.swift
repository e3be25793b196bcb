import Glibc
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Tests the effect on others of a process that dies or stops while it holds the lock.
    struct DeadAndStoppedHolderTests {
        static let group = "group.example.locks"

        @Test("The lock of a killed process goes to the next process immediately", arguments: LockKind.allCases)
        func killed(lock: LockKind) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            let holder = try await holder("before", world, lock)
            let next = try await start("com.example.Next", world, lock, deadline: 120_000)
            next.tell("sign-in y 1")
            let begin = ContinuousClock.now
            holder.child.end()
            let answer = try await next.answer("sign-in")
            #expect(answer.error == nil, "\(answer.message ?? "")")
            // The deadline, two minutes, would not be immediate.
            #expect(begin.duration(to: .now) < .hang)
            #expect(try world.record(Self.group, appID: "").current?.uid == "y")
        }

        @Test(
            "Others time out on a stopped lock holder, which overwrites no user later",
            arguments: LockKind.allCases,
            ["before", "after"]
        )
        func stopped(lock: LockKind, moment: String) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            let holder = try await holder(moment, world, lock, deadline: 120_000)
            let written = try world.contents()
            let impatient = try await start("com.example.Next", world, lock, deadline: 4000)
            for command in ["sign-in y 1", "sign-in z 1"] {
                let refusal = await #expect(throws: PeerProcess.Refusal.self) { try await impatient.obey(command) }
                #expect(refusal?.code == AuthErrorCode.timedOut.rawValue)
                let message = try #require(refusal?.line.message)
                let holder = "TestPeer (process \(holder.child.processID)), which is stopped,"
                #expect(message.contains("\(holder) did not end its change of the record in time: this call waited"))
                #expect(message.contains("Continue it with kill -CONT"))
            }
            #expect(try world.contents().items == written.items)

            holder.child.signal(SIGCONT)
            let answer = try await holder.answer("sign-in")
            #expect(answer.error == nil, "\(answer.message ?? "")")
            #expect(try world.record(Self.group, appID: "").current?.uid == "x")
            let first = try #require(try world.revision(Self.group)?.counter)
            try await impatient.obey("sign-in y 1")
            #expect(try world.record(Self.group, appID: "").current?.uid == "y")
            // Two writes, the second on top of the first.
            #expect(try world.revision(Self.group)?.counter == first + 1)
        }

        @Test(
            "A holder stopped past its own deadline writes nothing when it continues",
            arguments: LockKind.allCases
        )
        func late(lock: LockKind) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            let holder = try await holder("before", world, lock, deadline: 5000)
            // Its deadline began before this one and has passed when this one has.
            let patient = try await start("com.example.Next", world, lock, deadline: 6000)
            await #expect(throws: PeerProcess.Refusal.self) { try await patient.obey("sign-in y 1") }

            holder.child.signal(SIGCONT)
            let answer = try await holder.answer("sign-in")
            #expect(answer.error == AuthErrorCode.timedOut.rawValue, "\(answer.message ?? "")")
            #expect(try world.items().isEmpty)
            #expect(try await holder.obey("current").uid == nil)
            try await patient.obey("sign-in y 1")
            #expect(try world.record(Self.group, appID: "").current?.uid == "y")
        }

        /// Returns a process that is stopped while it signs `x` in and holds the lock.
        private func holder(
            _ moment: String,
            _ world: AppFixture,
            _ lock: LockKind,
            deadline: Int? = nil
        ) async throws -> PeerProcess {
            let holder = try await start("com.example.Holder", world, lock, deadline: deadline)
            try await holder.obey("arm stop CreateItem \(moment)")
            holder.tell("sign-in x 1")
            #expect(await holder.hasStopped())
            return holder
        }

        private func start(
            _ appID: String,
            _ world: AppFixture,
            _ lock: LockKind,
            deadline: Int? = nil
        ) async throws -> PeerProcess {
            try await PeerProcess.started(
                world,
                appID: appID,
                group: Self.group,
                locking: lock.argument(in: world),
                deadline: deadline
            )
        }
    }
}
