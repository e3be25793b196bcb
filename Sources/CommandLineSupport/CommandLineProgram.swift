package import ArgumentParser
internal import Glibc
internal import Synchronization

/// How a tool of this package runs: it takes text only, says when its answer cannot be written, and ends with a status
/// out of `sysexits.h`.
package enum CommandLineProgram {
    /// Runs what the arguments ask for, and ends the process.
    ///
    /// - Parameter explain: what to say of an error, where the tool has words of its own for it; else nil.
    package static func run<Root: ParsableCommand>(
        _ root: Root.Type,
        explain: (any Error) -> ToolError? = { _ in nil }
    ) -> Never {
        // Before there is any thread, or anything else that would fail for want of it.
        if let lack = StartCondition.lack { ToolError(.systemError, lack.message, remedy: lack.remedy).end() }
        CoreDumps.prevent()
        // Read before they are changed.
        _ = InheritedSignals.present
        // A closed pipe is an error of the write that meets it, like any other.
        signal(SIGPIPE, SIG_IGN)
        ProcessEnd.awaitInterruption()
        do {
            try checkInput()
            var command = try root.parseAsRoot()
            try command.run()
            ProcessEnd.now(.success)
        } catch let error as OutputError {
            end(error)
        } catch {
            if let known = explain(error) ?? ToolError(error) { known.end() }
            end(root, with: error)
        }
    }

    /// Ends the process because its answer could not be written.
    private static func end(_ error: OutputError) -> Never {
        guard let message = error.message else { ProcessEnd.now(.outputFailed) }
        ToolError(.outputFailed, message).end()
    }

    /// Ends the process as the argument parser would: with help, or with what is wrong with the call.
    private static func end<Root: ParsableCommand>(_ root: Root.Type, with error: any Error) -> Never {
        let status = root.exitCode(for: error)
        var text = root.fullMessage(for: error)
        if text.isEmpty { ProcessEnd.now(status) }
        let suggestion = Suggestion(of: root)
        if status.isSuccess {
            if CommandLine.arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) {
                text = suggestion.offeringVerbsToHelp(text)
            }
            do throws(OutputError) { try StandardOutput.write(text: text + "\n") } catch { end(error) }
        } else if ToolError.areJSON {
            let hint = text.split(separator: "\n").last.map { $0.trimmingPrefix { $0 == " " } }
            let remedy = hint.flatMap { $0.hasPrefix("See ") ? String($0) : nil }
            ToolError(status, suggestion.corrected(root.message(for: error)), remedy: remedy).end()
        } else {
            StandardError.write(text: suggestion.corrected(text))
        }
        ProcessEnd.now(status)
    }

    /// Refuses arguments and variables that are not UTF-8: repaired silently, they would name something else.
    private static func checkInput() throws {
        for number in 0..<Int(CommandLine.argc) {
            guard let argument = unsafe CommandLine.unsafeArgv[number] else { continue }
            guard unsafe String(validatingCString: argument) != nil else {
                throw ValidationError("Argument \(number) is not UTF-8 text. Give it in UTF-8.")
            }
        }
        for name in variables {
            guard let value = unsafe getenv(name) else { continue }
            guard unsafe String(validatingCString: value) != nil else {
                throw ValidationError("The variable \(name) is not UTF-8 text. Set it in UTF-8, or unset it.")
            }
        }
    }

    private static let variables = [
        "SHAREDAUTH_ACCESS_GROUPS", "SHAREDAUTH_API_KEY", "SHAREDAUTH_APP_ID", "SHAREDAUTH_CLIENT_SECRET",
        "SHAREDAUTH_CLIENT_SECRET_ISSUER", "SHAREDAUTH_COLLECTION",
        "SHAREDAUTH_CREDENTIAL", "SHAREDAUTH_KEY_FILE", "SHAREDAUTH_PROJECT", "SHAREDAUTH_STORE",
        "SHAREDAUTH_STORE_DIRECTORY", "SHAREDAUTH_TEAM_ID", "XDG_DATA_HOME", "XDG_STATE_HOME",
    ]
}

/// The version of the package; the one place that says it.
package enum Version {
    package static let current = "0.1.0"
}

/// How a tool's process ends: once, by its own doing or by SIGINT, SIGTERM or SIGHUP.
///
/// A keyring daemon may die, for the whole desktop, of a client that leaves while its session is being opened. `exit` waits for
/// that answer, for a second at most; so a signal ends the output at once, and the process by `exit`.
package enum ProcessEnd {
    private struct Interruption {
        /// The signal that came; 0 if none did.
        var signal: Int32 = 0
        /// Whether the process runs until a signal comes.
        var isExpected = false
        /// Called at the first signal, in place of its effect.
        var deferral: (@Sendable () -> Void)?
    }

    private static let first = Mutex<Void>(())
    private static let interruption = Mutex(Interruption())

    /// Ends the process, whatever its other threads wait for; the first reason alone is said.
    package static func now(_ status: ExitCode, saying message: String? = nil) -> Never {
        end(status, saying: message.map { ToolError(status, $0) })
    }

    static func end(_ status: ExitCode, saying error: ToolError?) -> Never {
        // Held until the process is gone: whoever comes later waits here.
        first.withLock { _ in
            if let error { StandardError.write(error) }
            exit(status.rawValue)
        }
    }

    /// SIGINT, SIGTERM and SIGHUP are how this process is meant to end: its status is 0 then. Else it dies of the signal.
    package static func expectInterruption() {
        interruption.withLock { $0.isExpected = true }
    }

    /// The first of these signals is only reported, once: for work that ends itself at a good place, by ``byDeferredSignal()``. A
    /// second one takes effect at once.
    package static func deferInterruption(_ tell: @escaping @Sendable () -> Void) {
        interruption.withLock { $0.deferral = tell }
    }

    /// Ends the process as the signal would have that was deferred.
    package static func byDeferredSignal() -> Never {
        now(ExitCode(128 + interruption.withLock { $0.signal }))
    }

    /// Lets the signals take effect as usual.
    private static func forgetInterruption() {
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
        let (isExpected, deferral) = interruption.withLock { interruption in
            defer { interruption.deferral = nil }
            interruption.signal = number
            return (interruption.isExpected, interruption.deferral)
        }
        if let deferral {
            deferral()
            endBySignal()
        }
        let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        for stream in [STDOUT_FILENO, STDERR_FILENO] where nowhere >= 0 { dup2(nowhere, stream) }
        now(isExpected ? .success : ExitCode(128 + number))
    }

    /// The parent process sees that the signal ended this process: a shell then ends its script, too.
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
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            unsafe sigaction(number, nil, &action)
            let handler = unsafe action.__sigaction_handler.sa_handler
            if unsafe handler == nil || unsafeBitCast(handler, to: Int.self) != 1 { unsafe sigaddset(&signals, number) }
        }
        return signals
    }
}
