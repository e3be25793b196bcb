import Dispatch
import PrivateKeyring
import ScriptedIdentity
import Synchronization
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Everything that an app may call from any thread, called from many at once.
    struct ThreadTests {
        static let groups = [nil, "group.example.threads1", "group.example.threads2"]

        @Test("Many threads on one Auth leave one truth behind, and every listener knows it")
        func storm() async throws {
            let world = try TestApp.World()
            let app = try TestApp(world, deadline: .seconds(60))
            let other = try TestApp(world, appID: "com.example.Other", deadline: .seconds(60))
            try other.auth.useUserAccessGroup(Self.groups[1])
            // One of eight calls is a sign-in.
            for number in 0..<24 { app.identity.expect(.scripted("user\(number)")) }
            let surprises = Surprises()
            await withTaskGroup(of: Void.self) { tasks in
                for thread in 0..<8 {
                    tasks.addTask {
                        await withCheckedContinuation { continuation in
                            DispatchQueue(label: "thread \(thread)").async {
                                for step in 0..<24 {
                                    do throws(AuthError) {
                                        try act(app.auth, thread: thread, step: step)
                                    } catch {
                                        surprises.note(error)
                                    }
                                }
                                continuation.resume()
                            }
                        }
                    }
                }
            }
            #expect(surprises.all == [])

            // One truth: the choice on the disk, the slot, the app, a new process of the app, and the listeners.
            try app.auth.useUserAccessGroup(Self.groups[1])
            try await app.signIn("last")
            #expect(app.auth.currentUser?.uid == "last")
            #expect(try app.stored(Self.groups[1]) == "last")
            #expect(try world.choiceFile("com.example.Mail").read().slot.groupName == Self.groups[1])
            let restarted = try TestApp(world, hearsPeers: false, listens: false)
            #expect(restarted.auth.currentUser?.uid == "last")
            for process in [app, other] {
                let heard = process.heard { Set($0.suffix(2)) == Set(TestApp.Announcement.lastPair) }
                #expect(Set(heard.suffix(2)) == Set(TestApp.Announcement.lastPair))
            }
        }

        /// One call, another each time.
        private func act(_ auth: Auth, thread: Int, step: Int) throws(AuthError) {
            let group = Self.groups[(thread + step / 8) % Self.groups.count]
            switch (thread + step) % 8 {
            case 0: try auth.useUserAccessGroup(group)
            case 1: _ = try auth.getStoredUser(forAccessGroup: group)
            case 2: for _ in 0..<100 { _ = (auth.currentUser?.uid, auth.state, auth.userAccessGroup, auth.tenantID) }
            case 3:
                if let user = try auth.getStoredUser(forAccessGroup: group) {
                    try wait { done in auth.updateCurrentUser(user) { done($0) } }
                }
            case 4: try auth.signOut()
            case 5:
                let handles = (0..<4).map { _ in auth.addStateDidChangeListener { _, _ in } }
                let tokens = auth.addIDTokenDidChangeListener { _, _ in }
                for handle in handles { auth.removeStateDidChangeListener(handle) }
                auth.removeIDTokenDidChangeListener(tokens)
            case 6: try wait { done in auth.signIn(withEmail: "a@example.com", password: "password") { done($1) } }
            default:
                if let user = auth.currentUser {
                    try wait { done in user.getIDToken(forcingRefresh: true) { done($1) } }
                }
            }
        }

        /// Waits for a completion handler on the thread that called.
        private func wait(for call: (@escaping @Sendable (AuthError?) -> Void) -> Void) throws(AuthError) {
            let outcome = Mutex<AuthError?>(nil)
            let isDone = DispatchSemaphore(value: 0)
            call { error in
                outcome.withLock { $0 = error }
                isDone.signal()
            }
            isDone.wait()
            if let error = outcome.withLock({ $0 }) { throw error }
        }
    }
}

extension TestApp.Announcement {
    /// What each process hears in the end.
    fileprivate static let lastPair: [TestApp.Announcement] = .both("last")
}

/// The errors of all threads.
private final class Surprises: Sendable {
    private let errors = Mutex<[String]>([])

    var all: [String] { errors.withLock { $0 } }

    func note(_ error: AuthError) { errors.withLock { $0.append("\(error)") } }
}
