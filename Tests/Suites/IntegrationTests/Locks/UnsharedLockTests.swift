import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Tests a bus that refuses the names that serve as locks, as a sandbox may.
    struct UnsharedLockTests {
        static let group = "group.example.unshared"
        static let keyring = Result { try strictKeyring() }

        @Test("Another process's write over an unconfirmed one is reported as a conflict")
        func conflict() async throws {
            let world = try AppFixture(Self.keyring.get())
            let one = try await PeerProcess.started(world, appID: "com.example.A", group: Self.group, deadline: 60_000)
            let two = try await PeerProcess.started(world, appID: "com.example.B", group: Self.group, deadline: 60_000)
            // The collection has a mark, so that the first item is that of the record.
            _ = try world.keyring.makeStore().mark(for: world.key(Self.group), by: .patient)
            try await one.obey("arm stop CreateItem after")
            one.tell("sign-in x 1")
            #expect(await one.hasStopped())
            // A process that cannot share a lock does not make others wait.
            try await two.obey("sign-in y 1")
            one.child.signal(SIGCONT)
            let answer = try await one.answer("sign-in")
            #expect(answer.error == AuthErrorCode.conflict.rawValue)
            #expect(answer.message?.contains("org.sharedauth.*") == true)
            #expect(try await one.obey("current").uid == nil)
            #expect(try world.record(Self.group, appID: "").current?.uid == "y")
            // Read again and repeated, it succeeds.
            try await one.obey("use-group \(Self.group)")
            #expect(try await one.obey("sign-in x 1").uid == "x")
            #expect(try world.record(Self.group, appID: "").current?.uid == "x")
        }

        @Test("A process whose write was overwritten unknowingly is notified of the new user")
        func overwritten() async throws {
            let world = try AppFixture(Self.keyring.get())
            let one = try await PeerProcess.started(world, appID: "com.example.A", group: Self.group, deadline: 60_000)
            let two = try await PeerProcess.started(world, appID: "com.example.B", group: Self.group, observes: true)
            try await two.obey("listen")
            // It has read but not written yet.
            try await one.obey("arm stop CreateItem before")
            one.tell("sign-in x 1")
            #expect(await one.hasStopped())
            try await two.obey("sign-in y 1")
            _ = try await two.event("state", "y")
            one.child.signal(SIGCONT)
            #expect(try await one.answer("sign-in").uid == "x")
            _ = try await two.event("state", "x")
            #expect(try await two.obey("current").uid == "x")
        }

        @Test("A write that cannot be confirmed has an unknown outcome")
        func unconfirmed() async throws {
            let world = try AppFixture(Self.keyring.get())
            let fault = Fault()
            let app = try await TestApp.signedIn("x", in: Self.group, world, interceptor: fault.interceptor)
            // The first read asks whether the user can be stored, the second is sent with the refused request for the
            // lock, the third precedes the write, and the fourth confirms it.
            fault.fail("GetSecret", after: 3, times: 100, as: .noDaemon)
            await expectFailure(.outcomeUnknown) {
                do { try await app.signIn("y") } catch let error as AuthError { throw error } catch {}
            }
            fault.disarm()
            #expect(try app.stored(Self.group) == "y")
        }

        @Test("Without other writers, every operation works as with a lock")
        func undisturbed() async throws {
            let world = try AppFixture(Self.keyring.get())
            let peer = try await PeerProcess.started(world, group: Self.group)
            for command in ["sign-in x 1", "refresh", "rename New", "migrate - fail", "sign-out"] {
                try await peer.obey(command)
            }
            #expect(try world.items().isEmpty)
        }

        @Test("If the options require a bus name as lock, nothing is written without it")
        func insisting() async throws {
            let world = try AppFixture(Self.keyring.get())
            let peer = try await PeerProcess.started(world, locking: "bus-name")
            for command in ["sign-in x 1", "use-group \(Self.group)"] {
                let refusal = await #expect(throws: PeerProcess.Refusal.self) { try await peer.obey(command) }
                #expect(refusal?.code == AuthErrorCode.accessDenied.rawValue)
            }
            #expect(try world.items().isEmpty)
        }

        /// Returns a keyring whose bus was restarted with one more rule.
        private static func strictKeyring() throws -> PrivateKeyring {
            let keyring = try PrivateKeyring(state: .noDaemon)
            keyring.killBus()
            let path = "\(keyring.directory)/bus.conf"
            let rules = try String(contentsOfFile: path, encoding: .utf8)
                .replacingOccurrences(of: "</policy>", with: "<deny own_prefix=\"org.sharedauth\"/></policy>")
            try rules.write(toFile: path, atomically: true, encoding: .utf8)
            try keyring.startBus()
            try keyring.startDaemon(unlocked: true)
            return keyring
        }
    }
}
