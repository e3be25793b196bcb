import CGLibSecret
import Dispatch
import FoundationEssentials
import Glibc
import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// Programs that run GLib's default context, the main queue, both or, at first, neither. All but one leave the executor
/// of listeners to the library.
enum LoopScenario: String {
    /// GLib's default context on a thread, and the main queue.
    case both
    /// A hundred thousand announcements that no loop delivers; then GLib's loop runs.
    case neither
    /// A view model of the main actor, with GLib's loop on the main thread.
    case viewModelMainContext = "view-model-main-context"
    /// A view model of the main actor, with `dispatchMain()` and listeners on the app's own queue.
    case viewModelDispatchQueue = "view-model-dispatch-queue"
    /// A view model of the main actor, with GLib's default context on another thread.
    case viewModelBoth = "view-model-both"
    /// A sequence that is read on an inline executor.
    case inlineSequence = "inline-sequence"

    func run(stateDirectory: String) throws {
        let identity = ScriptedIdentity()
        var options = AuthApp.Options(
            appID: "com.example.Deliveries",
            identityProvider: identity.source,
            store: .inMemory(),
            stateDirectory: stateDirectory
        )
        if self == .viewModelDispatchQueue {
            options.listenerExecutor = .dispatchQueue(DispatchQueue(label: "listeners"))
        }
        try AuthApp.configure(options)
        switch self {
        case .both: runBoth(identity)
        case .neither: runNeither(identity)
        case .viewModelMainContext, .viewModelDispatchQueue, .viewModelBoth: runViewModel(identity)
        case .inlineSequence: followInline(identity)
        }
    }

    private func runBoth(_ identity: ScriptedIdentity) {
        let auth = Auth.auth()
        let record = CallRecord()
        _ = auth.addStateDidChangeListener { _, user in record.add(user) }
        _ = auth.addStateDidChangeListener { _, _ in record.checkOverlap() }
        Task.detached {
            await record.wait(for: 1)
            // Each loop delivers while the other is blocked.
            for (index, holdUp) in [Self.holdUpContext, Self.holdUpQueue].enumerated() {
                let release = await holdUp()
                await Self.signIn("\(index)", identity)
                await record.wait(for: index + 2)
                release.signal()
            }
            for index in 2..<2000 { await Self.signIn("\(index)", identity) }
            await record.wait(for: 2001)
            print("in order", record.uids == ["nil"] + (0..<2000).map { "\($0)" })
            print("overlaps", record.overlaps)
            print("first by", record.places[1], "second by", record.places[2])
            exit(0)
        }
        DispatchQueue.global().async { unsafe g_main_loop_run(g_main_loop_new(nil, 0)) }
        dispatchMain()
    }

    private func runNeither(_ identity: ScriptedIdentity) {
        let auth = Auth.auth()
        let record = CallRecord()
        let done = DispatchSemaphore(value: 0)
        _ = auth.addStateDidChangeListener { _, user in record.add(user) }
        Task.detached {
            await Self.signIn("x", identity)
            let x = auth.currentUser
            await Self.signIn("y", identity)
            let y = auth.currentUser
            guard let x, let y else {
                done.signal()
                return
            }
            let announce: @Sendable (Int) async throws -> Void = { count in
                for _ in 0..<count / 2 {
                    try await auth.updateCurrentUser(x)
                    try await auth.updateCurrentUser(y)
                }
            }
            do {
                try await announce(2000)
                let before = residentKilobytes()
                try await announce(100_000)
                print("grown by", residentKilobytes() - before, "kB")
            } catch {
                print(error)
            }
            done.signal()
        }
        done.wait()
        DispatchQueue.global().async {
            MainContext.default.invoke {
                // Calls posted earlier have been delivered.
                print("called", record.uids.count, "last", record.uids.last ?? "never")
                exit(0)
            }
        }
        unsafe g_main_loop_run(g_main_loop_new(nil, 0))
    }

    private func runViewModel(_ identity: ScriptedIdentity) {
        MainActor.assumeIsolated { ViewModel.shared.follow(Auth.auth()) }
        Task.detached {
            for index in 0..<10 { await Self.signIn("\(index)", identity) }
        }
        if self == .viewModelMainContext {
            unsafe g_main_loop_run(g_main_loop_new(nil, 0))
        } else {
            if self == .viewModelBoth {
                DispatchQueue.global().async { unsafe g_main_loop_run(g_main_loop_new(nil, 0)) }
            }
            dispatchMain()
        }
    }

    private func followInline(_ identity: ScriptedIdentity) {
        let isFollowing = DispatchSemaphore(value: 0)
        Task(executorPreference: InlineTaskExecutor()) {
            var seen: [String] = []
            for await user in Auth.auth().authStateChanges {
                // The Auth must be callable: it may hold no lock while this runs.
                _ = Auth.auth().currentUser
                seen.append(user?.uid ?? "nil")
                if seen.count == 1 { isFollowing.signal() }
                if seen.count == 3 { break }
            }
            print(seen.joined(separator: " "))
            exit(0)
        }
        isFollowing.wait()
        Task.detached {
            await Self.signIn("x", identity)
            try Auth.auth().signOut()
        }
        dispatchMain()
    }

    private static func signIn(_ uid: String, _ identity: ScriptedIdentity) async {
        identity.expect(.scripted(uid))
        do {
            try await Auth.auth().signIn(withEmail: "a@example.com", password: "password")
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Blocks GLib's loop until the returned semaphore is signalled.
    @Sendable private static func holdUpContext() async -> DispatchSemaphore {
        await holdUp { MainContext.default.invoke($0) }
    }

    /// Blocks the main queue until the returned semaphore is signalled.
    @Sendable private static func holdUpQueue() async -> DispatchSemaphore {
        await holdUp { DispatchQueue.main.async(execute: $0) }
    }

    private static func holdUp(_ invoke: (@escaping @Sendable () -> Void) -> Void) async -> DispatchSemaphore {
        let release = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            invoke {
                continuation.resume()
                release.wait()
            }
        }
        return release
    }
}

/// Returns the resident memory of the process, with pages of 4 KiB.
private func residentKilobytes() -> Int {
    guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return pages.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4 } ?? 0
}

/// The calls of a listener, the loop of each, and the number of overlaps.
final class CallRecord: Sendable {
    private struct State {
        var uids: [String] = []
        var places: [String] = []
        var waiting: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let active = Atomic(0)
    private let overlapping = Atomic(0)

    var uids: [String] { state.withLock { $0.uids } }
    var places: [String] { state.withLock { $0.places } }
    var overlaps: Int { overlapping.load(ordering: .sequentiallyConsistent) }

    func add(_ user: User?) {
        checkOverlap()
        let isContext = unsafe g_main_context_is_owner(g_main_context_default()) != 0
        let due = state.withLock { state in
            state.uids.append(user?.uid ?? "nil")
            state.places.append(isContext ? "main-context" : "main-queue")
            let due = state.waiting.filter { $0.0 <= state.uids.count }
            state.waiting.removeAll { $0.0 <= state.uids.count }
            return due
        }
        for (_, continuation) in due { continuation.resume() }
    }

    /// Counts an overlap if another call is in progress.
    func checkOverlap() {
        if active.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
            overlapping.add(1, ordering: .sequentiallyConsistent)
        }
        sched_yield()
        active.subtract(1, ordering: .sequentiallyConsistent)
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.uids.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Unchanged Firebase code in a class of the main actor.
@MainActor
final class ViewModel {
    static let shared = ViewModel()

    private var uids: [String] = []
    private var handle: AuthStateDidChangeListenerHandle?

    func follow(_ auth: Auth) {
        handle = auth.addStateDidChangeListener { [weak self] auth, user in
            MainActor.preconditionIsolated()
            self?.uids.append(user?.uid ?? "nil")
            self?.finish()
        }
    }

    private func finish() {
        if uids.last != "9" { return }
        print(uids.joined(separator: " "))
        exit(0)
    }
}

/// A serial executor that runs its jobs immediately, on the thread that enqueues them.
final class InlineExecutor: SerialExecutor {
    static let shared = InlineExecutor()

    /// The threads that are running a job.
    private let threads = Mutex<Set<pthread_t>>([])

    static var isRunning: Bool { shared.threads.withLock { $0.contains(pthread_self()) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOutermost = threads.withLock { $0.insert(pthread_self()).inserted }
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        if isOutermost { threads.withLock { _ = $0.remove(pthread_self()) } }
    }
}

/// A task executor that runs its jobs immediately, on the thread that enqueues them.
final class InlineTaskExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
