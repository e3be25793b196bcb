package import Glibc

/// The signal settings that this process inherited, for programs that it starts or executes.
package struct InheritedSignals: Sendable {
    /// The blocked signals.
    package let mask: sigset_t
    /// Indicates whether SIGPIPE is ignored, so that a write to a closed pipe is an error and not a signal.
    package let ignoresPipe: Bool

    /// The settings at the first use, which must precede every change of them.
    package static let present = InheritedSignals()

    private init() {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        var action = sigaction()
        unsafe sigaction(SIGPIPE, nil, &action)
        // SIG_IGN, a macro that Swift cannot import.
        let ignored = 1
        let handler = unsafe action.__sigaction_handler.sa_handler
        self.mask = mask
        ignoresPipe = unsafe handler != nil && unsafeBitCast(handler, to: Int.self) == ignored
    }

    /// Restores the inherited signal mask of the calling thread, and the action of SIGPIPE. A program that this process
    /// executes has the default action for the signals that this process catches.
    package func restore() {
        if !ignoresPipe { signal(SIGPIPE, SIG_DFL) }
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
