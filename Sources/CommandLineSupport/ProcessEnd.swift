package import ArgumentParser
internal import Glibc
internal import Synchronization

/// How a tool's process ends: once, by its own doing or by SIGINT or SIGTERM.
///
/// A keyring daemon may die, for the whole desktop, of a client that leaves while its session is being opened. `exit` waits for
/// that answer, for a second at most; so a signal ends the output at once, and the process by `exit`.
package enum ProcessEnd {
    private struct Interruption {
        /// The signal that came; 0 if none did.
        var signal: Int32 = 0
        /// Whether the process runs until a signal comes.
        var isExpected = false
    }

    private static let first = Mutex<Void>(())
    private static let interruption = Mutex(Interruption())

    /// Ends the process, whatever its other threads wait for; the first reason alone is said.
    package static func now(_ status: ExitCode, saying message: String? = nil) -> Never {
        // Held until the process is gone: whoever comes later waits here.
        first.withLock { _ in
            if let message { StandardError.write(line: message) }
            exit(status.rawValue)
        }
    }

    /// SIGINT and SIGTERM are how this process is meant to end: its status is 0 then. Else it dies of the signal.
    package static func expectInterruption() {
        interruption.withLock { $0.isExpected = true }
    }

    /// Lets the signals take effect in a program that this process becomes.
    package static func forgetInterruption() {
        var signals = awaitedSignals
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Awaits the signals on a thread of its own. To be called before there is any other thread.
    static func awaitInterruption() {
        var signals = awaitedSignals
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Comes after all that waits at the end of the process, as that is registered later.
        atexit { ProcessEnd.dieOfSignal() }
        var thread = pthread_t()
        let waiting: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            ProcessEnd.endBySignal()
        }
        // Without that thread the signals work as ever.
        if unsafe pthread_create(&thread, nil, waiting, nil) != 0 { forgetInterruption() }
    }

    private static func endBySignal() -> Never {
        var signals = awaitedSignals
        var number: Int32 = 0
        while unsafe sigwait(&signals, &number) != 0 {}
        let isExpected = interruption.withLock { interruption in
            interruption.signal = number
            return interruption.isExpected
        }
        let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        for stream in [STDOUT_FILENO, STDERR_FILENO] where nowhere >= 0 { dup2(nowhere, stream) }
        now(isExpected ? .success : ExitCode(128 + number))
    }

    /// Whoever started this process learns that the signal ended it: a shell then ends its script, too.
    private static func dieOfSignal() {
        let interruption = interruption.withLock { $0 }
        if interruption.signal == 0 || interruption.isExpected { return }
        signal(interruption.signal, SIG_DFL)
        forgetInterruption()
        raise(interruption.signal)
    }

    /// Those that are not ignored, as `nohup` and shells have it for what runs in the background.
    private static var awaitedSignals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            unsafe sigaction(number, nil, &action)
            let handler = unsafe action.__sigaction_handler.sa_handler
            if unsafe handler == nil || unsafeBitCast(handler, to: Int.self) != 1 { unsafe sigaddset(&signals, number) }
        }
        return signals
    }
}
