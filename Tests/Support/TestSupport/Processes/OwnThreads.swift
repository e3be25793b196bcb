internal import DesktopSupport
internal import Glibc
internal import SharedAuthHTTP

/// The library's threads of this process, which answer at any time: if one does not, a call hangs, and no deadline ends
/// it.
package enum OwnThreads {
    /// Watches the threads from the first access on. When one of them has not answered for longer than any call takes,
    /// prints what all threads do, and ends the process.
    package static let watched: Void = {
        // Later its descriptors would disturb a test that counts them.
        _ = httpThread
        startThread(named: "hang-watch") {
            while true {
                if let silent = silent(for: .patience + .hang) {
                    Stacks.report(getpid(), "\(silent) hangs")
                    abort()
                }
                sleep(10)
            }
        }
    }()

    /// Returns the name of a thread that does not answer within `time`.
    package static func silent(for time: Duration) -> String? {
        let deadline = Deadline.after(time)
        let hasAnswered = Monitor(false)
        httpThread.enqueue { hasAnswered.update { $0 = true } }
        GLibThread.catchUp(by: deadline)
        if deadline.isPast { return "desktop-support" }
        return hasAnswered.wait(until: deadline) { $0 ? () : nil } == nil ? "sharedauth-http" : nil
    }
}
