package import Glibc

/// The signal settings that this process inherited, for programs that it starts or executes.
package struct InheritedSignals: Sendable {
    /// The blocked signals.
    package let mask: sigset_t
    /// The signals of a write that cannot be made, of those that were not ignored.
    package let writeSignals: [Int32]

    /// The settings at the first use, which must precede every change of them.
    package static let present = InheritedSignals()

    private init() {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        self.mask = mask
        writeSignals = [SIGPIPE, SIGXFSZ].filter { number in
            var action = sigaction()
            unsafe sigaction(number, nil, &action)
            // SIG_IGN, a macro that Swift cannot import.
            let ignored = 1
            let handler = unsafe action.__sigaction_handler.sa_handler
            return unsafe handler == nil || unsafeBitCast(handler, to: Int.self) != ignored
        }
    }

    /// Makes writes to a closed pipe, or beyond the limit of a file's size, errors and not signals.
    package static func ignoreWriteSignals() { for number in present.writeSignals { signal(number, SIG_IGN) } }

    /// Restores the inherited signal mask of the calling thread, and the actions of the signals of writes. A program
    /// that this process executes has the default action for the signals that this process catches.
    package func restore() {
        for number in writeSignals { signal(number, SIG_DFL) }
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
