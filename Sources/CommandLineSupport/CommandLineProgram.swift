package import ArgumentParser
internal import Glibc
internal import SharedAuth

/// How a tool of this package runs: it takes text only, says when its answer cannot be written, and ends with a status
/// out of `sysexits.h`.
package enum CommandLineProgram {
    /// Runs what the arguments ask for, and ends the process.
    ///
    /// - Parameter explain: what to say of an error of the tool's own, and the status; nil for any other.
    package static func run<Root: ParsableCommand>(
        _ root: Root.Type,
        explain: (any Error) -> (message: String, status: ExitCode)? = { _ in nil }
    ) -> Never {
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
        } catch let error as AuthError {
            StandardError.write(error)
            ProcessEnd.now(ExitCode(error.code))
        } catch {
            if let (message, status) = explain(error) {
                StandardError.write(line: message)
                ProcessEnd.now(status)
            }
            end(root, with: error)
        }
    }

    /// Ends the process because its answer could not be written.
    private static func end(_ error: OutputError) -> Never {
        if let message = error.message { StandardError.write(line: message) }
        ProcessEnd.now(.outputFailed)
    }

    /// Ends the process as the argument parser would: with help, or with what is wrong with the call.
    private static func end<Root: ParsableCommand>(_ root: Root.Type, with error: any Error) -> Never {
        let status = root.exitCode(for: error)
        let text = root.fullMessage(for: error)
        if !text.isEmpty {
            if status.isSuccess {
                do throws(OutputError) { try StandardOutput.write(text: text + "\n") } catch { end(error) }
            } else {
                StandardError.write(text: text)
            }
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
        "SHAREDAUTH_ACCESS_GROUPS", "SHAREDAUTH_APP_ID", "SHAREDAUTH_COLLECTION", "SHAREDAUTH_CREDENTIAL",
        "SHAREDAUTH_KEY_FILE", "SHAREDAUTH_STORE", "SHAREDAUTH_STORE_DIRECTORY", "XDG_DATA_HOME", "XDG_STATE_HOME",
    ]
}

/// The version of the package; the one place that says it.
package enum Version {
    package static let current = "0.1.0"
}
