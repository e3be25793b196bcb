import Glibc
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

/// A task executor that runs its jobs at once, on the thread that enqueues them.
final class InlineTaskExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
