import Glibc
import SharedAuth
import Synchronization

/// A serial executor that runs its jobs at once, on the thread that enqueues them.
final class InlineExecutor: SerialExecutor {
    static let shared = InlineExecutor()

    /// The threads that run a job now.
    private let threads = Mutex<Set<pthread_t>>([])

    static var isRunning: Bool { shared.threads.withLock { $0.contains(pthread_self()) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOutermost = threads.withLock { $0.insert(pthread_self()).inserted }
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        if isOutermost { threads.withLock { _ = $0.remove(pthread_self()) } }
    }
}

/// Follows a sequence on the executor that runs inline, and calls the `Auth` from there.
actor InlineFollower {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe InlineExecutor.shared.asUnownedSerialExecutor() }

    /// Prints the users of the sequence until one has come and gone.
    func follow(_ auth: Auth, onFirst: () -> Void) async {
        var seen: [String] = []
        for await user in auth.authStateChanges {
            // The Auth has to be free: no lock of it may be held while this runs.
            _ = auth.currentUser
            seen.append(user?.uid ?? "nil")
            if seen.count == 1 { onFirst() }
            if seen.count == 3 { break }
        }
        print(seen.joined(separator: " "))
    }
}
