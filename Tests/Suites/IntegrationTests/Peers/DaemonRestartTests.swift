import Dispatch
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Tests a keyring daemon that ends and returns; each test has its own daemon.
    struct DaemonRestartTests {
        static let group = "group.example.restart"

        let world: AppFixture
        private var keyring: PrivateKeyring { world.keyring }

        init() throws {
            world = try AppFixture(PrivateKeyring())
        }

        @Test("Without a daemon the last known state stays, and operations throw unavailable")
        func withoutDaemon() async throws {
            let app = try TestApp(world, observesOtherProcesses: true)
            try await app.signIn("x")
            _ = app.announcements()
            try keyring.killDaemon()
            expectFailure(.keyringUnavailable) { try app.auth.signOut() }
            expectFailure(.keyringUnavailable) {
                try app.auth.useUserAccessGroup(Self.group)
            }
            #expect(app.auth.currentUser?.uid == "x")
            #expect(app.auth.userAccessGroup == nil)
            #expect(app.announcements().isEmpty)
            try keyring.startDaemon(unlocked: true)
            try app.auth.signOut()
            #expect(app.announcements() == .both(nil))
        }

        @Test(
            "With waitsForDaemon, an operation waits within its deadline, item known or not",
            arguments: [false, true]
        )
        func waiting(isKnown: Bool) async throws {
            let app = try TestApp(world, observesOtherProcesses: true)
            try await app.signIn("x")
            var configuration = SecretService.Configuration(busAddress: .address(keyring.busAddress))
            configuration.waitsForDaemon = true
            let mayStart = Mutex(false)
            configuration.interceptor = CallInterceptor { [keyring] call, _ in
                // It has found no owner and checks again for one.
                guard call.member == "GetNameOwner" else { return nil }
                let starts = mayStart.withLock { mayStart in
                    defer { mayStart = false }
                    return mayStart
                }
                if starts { DispatchQueue.global().async { try? keyring.startDaemon(unlocked: true) } }
                return nil
            }
            let store = SecretServiceRecordStore(SecretService(configuration))
            try await world.peer(Self.group).signIn("x")
            let patient = try TestApp(world) { $0.store = .custom(store) }
            // Its first load is complete and knows the location of the record in the app's own slot.
            _ = await patient.auth.ready()
            try keyring.killDaemon()
            mayStart.withLock { $0 = true }
            #expect(try patient.auth.getStoredUser(forAccessGroup: isKnown ? nil : Self.group)?.uid == "x")
            try keyring.killDaemon()
            mayStart.withLock { $0 = true }
            try patient.auth.signOut()
            #expect(patient.auth.currentUser == nil)
        }

        @Test("A bus that dies and returns is observed again without a call by the app")
        func busRestart() async throws {
            let app = try TestApp(world, observesOtherProcesses: true)
            try app.auth.useUserAccessGroup(Self.group)
            try await app.signIn("x")
            _ = app.heard { $0.contains { $0.uid == "x" } }
            #expect(try await app.auth.storeStatus().isObserving)
            keyring.killBus()
            try keyring.startBus()
            try keyring.startDaemon(unlocked: true)
            try await world.peer(Self.group).signIn("y")
            #expect(app.heard { $0.contains { $0.uid == "y" } }.contains { $0.uid == "y" })
            #expect(try await app.auth.storeStatus().isObserving)
        }

        @Test("After each of a hundred kills, the next change is announced to both apps")
        func hundredKills() async throws {
            let identity = ScriptedIdentity()
            let mail = try TestApp(world, appID: "com.example.Mail", identity: identity, observesOtherProcesses: true)
            let calendar = try TestApp(
                world,
                appID: "com.example.Calendar",
                identity: identity,
                observesOtherProcesses: true
            )
            for app in [mail, calendar] {
                try app.auth.useUserAccessGroup(Self.group)
                _ = app.heard(2)
            }
            for round in 1...100 {
                try keyring.restartDaemon()
                do {
                    try await mail.signIn("user\(round)")
                } catch {
                    // A daemon that crashed has logged the reason.
                    Issue.record(error, "round \(round): \(try keyring.daemonLog())")
                    return
                }
                #expect(calendar.heard(2) == .both("user\(round)"))
                #expect(mail.heard(2) == .both("user\(round)"))
            }
        }

        @Test("A change that a process missed is announced once the daemon is unlocked")
        func changedMeanwhile() async throws {
            let app = try TestApp(world, observesOtherProcesses: true)
            try app.auth.useUserAccessGroup(Self.group)
            try await app.signIn("x")
            _ = app.heard(4)
            // The daemon returns locked; that signs no user out.
            try keyring.restartDaemon(unlocked: false)
            expectFailure(.keyringLocked) {
                _ = try app.auth.getStoredUser(forAccessGroup: nil)
            }
            #expect(app.auth.currentUser?.uid == "x")
            try keyring.restartDaemon()
            let other = try TestApp(world, appID: "com.example.Other", listens: false)
            try other.auth.useUserAccessGroup(Self.group)
            try other.auth.signOut()
            #expect(app.heard(2) == .both(nil))
        }

        @Test("A lost bus is a clear error, and the next call on a new bus works")
        func busGone() async throws {
            let app = try TestApp(world, observesOtherProcesses: true)
            try app.auth.useUserAccessGroup(Self.group)
            try await app.signIn("x")
            _ = app.heard(4)
            keyring.killBus()
            expectFailure(.keyringUnavailable) {
                try app.auth.useUserAccessGroup(Self.group)
            }
            #expect(app.auth.currentUser?.uid == "x")
            #expect(app.announcements().isEmpty)
            try keyring.startBus()
            try keyring.startDaemon(unlocked: true)
            try app.auth.useUserAccessGroup(Self.group)
            #expect(app.auth.currentUser?.uid == "x")
            // The watch receives signals again.
            let other = try TestApp(world, appID: "com.example.Other", listens: false)
            try other.auth.useUserAccessGroup(Self.group)
            try other.auth.signOut()
            #expect(app.heard(2) == .both(nil))
        }

        @Test("A stopped daemon makes a call time out, and its late reply is harmless")
        func stopped() async throws {
            let app = try TestApp(world, observesOtherProcesses: true, timeout: .seconds(5))
            try await app.signIn("x")
            keyring.stopDaemon()
            let start = ContinuousClock.now
            let error = expectFailure(.timedOut) {
                _ = try app.auth.getStoredUser(forAccessGroup: nil)
            }
            #expect(ContinuousClock.now - start < .hang)
            #expect(error?.message.contains("own slot") == true)
            keyring.continueDaemon()
            #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.uid == "x")
        }
    }
}
