internal import Dispatch

/// Runs the tasks that answer requests on threads of their own. Async code has as few threads as there are processors, and a
/// program that waits for an answer may block them all.
final class AnswerThreads: TaskExecutor {
    static let shared = AnswerThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A serial queue has a thread when it needs one; all concurrent ones share those of async code.
        DispatchQueue(label: "loopback-answer").async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
