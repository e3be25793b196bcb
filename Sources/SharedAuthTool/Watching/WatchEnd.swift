internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import Glibc
internal import Synchronization

/// How `watch` ends: at once, whatever its other threads wait for, and for the first reason alone.
enum WatchEnd {
    private static let first = Mutex<Void>(())

    /// Ends the process.
    static func now(_ status: ExitCode, saying message: String? = nil) -> Never {
        // Held until the process is gone: whoever comes later waits here.
        first.withLock { _ in
            if let message { StandardError.write(line: message) }
            exit(status.rawValue)
        }
    }

    /// Ends the process because a line could not be written; quietly, if nobody reads on.
    static func now(because error: OutputError) -> Never {
        now(error.isClosedPipe ? .success : .outputFailed, saying: error.message)
    }

    /// Has SIGINT and SIGTERM end the process with status 0 for as long as the sources live.
    static func onInterruption() -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "sharedauth.signals")
        return [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { now(.success) }
            source.activate()
            return source
        }
    }
}
