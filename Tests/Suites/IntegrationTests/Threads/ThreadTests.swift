import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Tests everything that an app may call from any thread, called from many threads at the same time.
    struct ThreadTests {
        static let groups = [nil, "group.example.threads1", "group.example.threads2"]
        static let rounds = 12
        static let steps = 3

        @Test("Calls from many threads leave one consistent state, also for each listener", arguments: [false, true])
        func storm(observesOtherProcesses: Bool) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            let app = try TestApp(world, observesOtherProcesses: observesOtherProcesses, timeout: .seconds(60))
            let other = try TestApp(
                world,
                appID: "com.example.Other",
                observesOtherProcesses: true,
                timeout: .seconds(60)
            )
            try other.auth.useUserAccessGroup(Self.groups[1])
            for round in 0..<Self.rounds {
                // One of the threads signs in at each step.
                for step in 0..<Self.steps { app.identity.expect(.scripted("user\(round)-\(step)")) }
                let surprises = await Self.callFromThreads(app.auth, round)
                #expect(surprises == [])
                try expectOneTruth(app, world)
            }

            // A new process of the app and other apps continue with the same state.
            try app.auth.useUserAccessGroup(Self.groups[1])
            try await app.signIn("last")
            let restarted = try TestApp(world, listens: false)
            #expect(restarted.auth.currentUser?.uid == "last")
            for process in [app, other] {
                let heard = process.heard { Set($0.suffix(2)) == Set([TestApp.Announcement].both("last")) }
                #expect(Set(heard.suffix(2)) == Set([TestApp.Announcement].both("last")))
            }
        }

        /// Expects the stored choice, the slot, the app's state and the listeners' last value to agree.
        private func expectOneTruth(_ app: TestApp, _ world: AppFixture) throws {
            let group = app.auth.userAccessGroup
            app.auth.waitUntilIdle()
            #expect(try world.journal("com.example.Mail").read() == GroupChoice(slot: group.map(Slot.group) ?? .own))
            let stored = try app.auth.getStoredUser(forAccessGroup: group)
            #expect(app.auth.currentUser?.uid == stored?.uid)
            #expect(app.auth.currentUser?.refreshToken == stored?.refreshToken)
            if let heard = app.announcements().last(where: { $0.kind == "state" }) { #expect(heard.uid == stored?.uid) }
        }

        /// Calls from eight threads, each with another call at each step, and returns the unexpected errors.
        private static func callFromThreads(_ auth: Auth, _ round: Int) async -> [String] {
            await withTaskGroup(of: [String].self) { threads in
                for thread in 0..<8 {
                    threads.addTask {
                        await withCheckedContinuation { continuation in
                            DispatchQueue(label: "thread \(thread)").async {
                                let surprises = (0..<steps).compactMap { step -> String? in
                                    do throws(AuthError) {
                                        try act(
                                            auth,
                                            thread + step + round,
                                            in: groups[(thread + round) % groups.count]
                                        )
                                        return nil
                                    } catch {
                                        // A refresh throws this if another thread has moved the user's session to
                                        // another slot.
                                        if error.code == .operationNotAllowed { return nil }
                                        return "\(error)"
                                    }
                                }
                                continuation.resume(returning: surprises)
                            }
                        }
                    }
                }
                return await threads.reduce(into: []) { $0 += $1 }
            }
        }

        /// Makes one of eight calls, selected by a number.
        private static func act(_ auth: Auth, _ number: Int, in group: String?) throws(AuthError) {
            switch number % 8 {
            case 0, 1, 2: try auth.useUserAccessGroup(group)
            case 3: try auth.signOut()
            case 4: try wait { done in auth.signIn(withEmail: "a@example.com", password: "password") { done($1) } }
            case 5:
                if let user = try auth.getStoredUser(forAccessGroup: group) {
                    try wait { done in auth.updateCurrentUser(user) { done($0) } }
                }
            case 6:
                for _ in 0..<50 { _ = (auth.currentUser?.uid, auth.state, auth.userAccessGroup, auth.tenantID) }
                let handles = (0..<4).map { _ in auth.addStateDidChangeListener { _, _ in } }
                let tokens = auth.addIDTokenDidChangeListener { _, _ in }
                for handle in handles { auth.removeStateDidChangeListener(handle) }
                auth.removeIDTokenDidChangeListener(tokens)
            default:
                if let user = auth.currentUser {
                    try wait { done in user.getIDToken(forcingRefresh: true) { done($1) } }
                }
            }
        }

        /// Waits for a completion handler on the calling thread.
        private static func wait(for call: (@escaping @Sendable (AuthError?) -> Void) -> Void) throws(AuthError) {
            let outcome = Outcome()
            call { outcome.settle($0) }
            if let error = outcome.wait() { throw error }
        }
    }
}

/// The result that a completion handler was called with.
private final class Outcome: Sendable {
    private let error = Mutex<AuthError?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    func settle(_ error: AuthError?) {
        self.error.withLock { $0 = error }
        isDone.signal()
    }

    func wait() -> AuthError? {
        isDone.wait()
        return error.withLock { $0 }
    }
}
