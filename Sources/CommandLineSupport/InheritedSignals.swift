package import Glibc

/// The signals as whoever started this process has set them, for programs that it starts or becomes.
package struct InheritedSignals: Sendable {
    /// Those that are blocked.
    package let mask: sigset_t
    /// Whether a write to a pipe that nobody reads is an error, and no signal.
    package let ignoresPipe: Bool

    /// What this process was started with. The first use has to come before anything changes it.
    package static let present = InheritedSignals()

    private init() {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        var action = sigaction()
        unsafe sigaction(SIGPIPE, nil, &action)
        let handler = unsafe action.__sigaction_handler.sa_handler
        self.mask = mask
        ignoresPipe = unsafe handler != nil && unsafeBitCast(handler, to: Int.self) == 1
    }

    /// Sets the signals of the calling thread, and what becomes of them, as they were. The others, which this process
    /// catches, are as ever in a program that it becomes.
    package func restore() {
        if !ignoresPipe { signal(SIGPIPE, SIG_DFL) }
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
