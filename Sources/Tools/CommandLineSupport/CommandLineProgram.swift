package import ArgumentParser
internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// The main program of this package's tools. It accepts only UTF-8 text, reports output that cannot be written, and
/// exits with a status from `sysexits.h`.
package enum CommandLineProgram {
    /// Runs the command that the arguments name, and ends the process.
    ///
    /// - Parameters:
    ///   - explain: Returns the tool's own message for an error, or nil.
    ///   - commandWithoutParser: Returns the command of a call that needs no parser, or nil.
    package static func run<Root: ParsableCommand>(
        _ root: Root.Type,
        explain: (any Error) -> ToolError? = { _ in nil },
        commandWithoutParser: ([String]) -> (any ParsableCommand)? = { _ in nil }
    ) -> Never {
        // Check before any thread starts, or anything else that would fail without these resources.
        if let lack = StartCondition.lack { ToolError(.systemError, lack.message, remedy: lack.remedy).end() }
        CoreDumps.prevent()
        // Read the signals before they are changed.
        _ = InheritedSignals.present
        // Report a closed pipe, or a file that may not grow, as an error of the write.
        InheritedSignals.ignoreWriteSignals()
        ProcessEnd.awaitInterruption()
        do {
            try checkInput()
            let arguments = Array(ProgramArguments.words.dropFirst())
            var command = try commandWithoutParser(arguments) ?? root.parseAsRoot(arguments)
            try command.run()
            ProcessEnd.now(.success)
        } catch let error as OutputError {
            end(error)
        } catch {
            if let known = explain(error) ?? ToolError(error) { known.end() }
            end(root, with: error)
        }
    }

    /// Ends the process because its output could not be written.
    private static func end(_ error: OutputError) -> Never {
        guard let message = error.message else { ProcessEnd.now(.outputFailed) }
        ToolError(.outputFailed, message).end()
    }

    /// Ends the process as the argument parser would: with help, or with the problem of the call.
    private static func end<Root: ParsableCommand>(_ root: Root.Type, with error: any Error) -> Never {
        let status = root.exitCode(for: error)
        var text = root.fullMessage(for: error)
        if text.isEmpty { ProcessEnd.now(status) }
        let suggestion = Suggestion(of: root)
        if status.isSuccess {
            if ProgramArguments.words.contains(where: { $0.hasPrefix("--generate-completion-script") }) {
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

    /// Rejects arguments and variables that are not UTF-8. Repaired silently, they would name something else.
    private static func checkInput() throws {
        for (number, argument) in ProgramArguments.bytes.enumerated() {
            guard String(validating: argument, as: UTF8.self) != nil else {
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

/// Ends the tool's process once: on its own, or because of SIGINT, SIGTERM or SIGHUP.
///
/// A keyring daemon may crash, for the whole desktop, if a client disconnects while its session is being opened. `exit`
/// waits for that reply, for a second at most. A signal therefore ends the output immediately, and the process through
/// `exit`.
package enum ProcessEnd {
    private struct Interruption {
        /// The received signal; 0 if none was received.
        var signal: Int32 = 0
        /// Indicates whether the process is meant to run until a signal arrives.
        var isExpected = false
        /// Called on the first signal, in place of its effect.
        var deferral: (@Sendable () -> Void)?
    }

    private static let first = Mutex<Void>(())
    private static let interruption = Mutex(Interruption())

    /// Ends the process, even if other threads are waiting. Only the first reason is reported.
    package static func now(_ status: ExitCode, saying message: String? = nil) -> Never {
        end(status, saying: message.map { ToolError(status, $0) })
    }

    static func end(_ status: ExitCode, saying error: ToolError?) -> Never {
        // Held until the process ends: any later caller waits here.
        first.withLock { _ in
            if let error { StandardError.write(error) }
            exit(status.rawValue)
        }
    }

    /// Makes SIGINT, SIGTERM and SIGHUP the regular end of this process, with status 0. Otherwise it dies of the
    /// signal.
    package static func expectInterruption() {
        interruption.withLock { $0.isExpected = true }
    }

    /// Reports the first of these signals, once, instead of ending the process. Used for work that ends at a safe point
    /// with ``byDeferredSignal()``. A second signal takes effect immediately.
    package static func deferInterruption(_ tell: @escaping @Sendable () -> Void) {
        interruption.withLock { $0.deferral = tell }
    }

    /// Ends the process as the deferred signal would have.
    package static func byDeferredSignal() -> Never {
        now(ExitCode(128 + interruption.withLock { $0.signal }))
    }

    /// Restores the usual effect of the signals.
    private static func forgetInterruption() {
        var signals = awaitedSignals
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Waits for the signals on a separate thread. Call this before any other thread starts.
    static func awaitInterruption() {
        var signals = awaitedSignals
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Runs after all other exit handlers, since they are registered later.
        atexit { ProcessEnd.dieOfSignal() }
        var thread = pthread_t()
        let waiting: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            ProcessEnd.endBySignal()
        }
        // Without that thread, the signals keep their usual effect.
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

    /// Dies of the signal, so that the parent process sees the cause: a shell then ends its script, too.
    private static func dieOfSignal() {
        let interruption = interruption.withLock { $0 }
        if interruption.signal == 0 || interruption.isExpected { return }
        signal(interruption.signal, SIG_DFL)
        forgetInterruption()
        raise(interruption.signal)
    }

    /// The signals that are not ignored. `nohup` and shells ignore some for background processes.
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
