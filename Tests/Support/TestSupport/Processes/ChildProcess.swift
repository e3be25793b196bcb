internal import CTestSupport
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A child process, started by `posix_spawn` in a process group that the fixture chooses.
///
/// It inherits no descriptor but those that it is given. If it inherited one end of another test's pipe, the reader of
/// that pipe would not see its end: so tests start no process in another way.
package final class ChildProcess: Sendable {
    /// The process id.
    package let processID: Int32
    /// A descriptor of the process. Unlike its id, it does not mean another process once this one is reaped.
    private let descriptor: Int32
    private let status = Mutex<Int32?>(nil)
    /// What the process did when a wait for it took too long; empty otherwise.
    fileprivate let report = Mutex("")

    /// The child's standard streams; nil is `/dev/null`.
    package struct Streams {
        var input: Int32?
        var output: Int32?
        var error: Int32?
        /// The child's descriptors 3, 4 and so on.
        var others: [Int32]

        package init(input: Int32? = nil, output: Int32? = nil, error: Int32? = nil, others: [Int32] = []) {
            (self.input, self.output, self.error, self.others) = (input, output, error, others)
        }
    }

    /// Starts a program. With `group` 0 it leads a new group.
    package convenience init(
        _ arguments: [String],
        environment: [String: String],
        group: Int32,
        streams: Streams
    ) throws {
        // Uses numbers above all of the child's descriptors, so that none is overwritten before it is copied.
        let others = streams.others.map { fcntl($0, F_DUPFD_CLOEXEC, 64) }
        defer { for file in others { close(file) } }
        try unsafe self.init(arguments, environment, group: group) { actions in
            for (target, source) in others.enumerated() {
                unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(3 + target))
            }
            for (target, source) in [streams.input, streams.output, streams.error].enumerated() {
                if let source {
                    unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
                } else {
                    unsafe posix_spawn_file_actions_addopen(&actions, Int32(target), "/dev/null", O_RDWR, 0)
                }
            }
            unsafe csupport_close_from(&actions, Int32(3 + others.count))
        }
    }

    /// Starts a program in a new session, whose terminal is the one at this path, because the session's leader opens it
    /// first.
    convenience init(_ arguments: [String], environment: [String: String], terminal: String) throws {
        try unsafe self.init(arguments, environment, group: nil) { actions in
            for target in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                unsafe posix_spawn_file_actions_addopen(&actions, target, terminal, O_RDWR, 0)
            }
            unsafe csupport_close_from(&actions, 3)
        }
    }

    /// Starts a program in a process group, or in a new session if `group` is nil. `open` sets up its streams.
    private init(
        _ arguments: [String],
        _ environment: [String: String],
        group: Int32?,
        open: (inout posix_spawn_file_actions_t) -> Void
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe open(&actions)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The spawning thread may block signals, and a child would inherit that.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, group ?? 0)
        let ownGroup = group == nil ? Self.newSession : Int32(POSIX_SPAWN_SETPGROUP)
        let flags = ownGroup | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        let argumentVector = CStrings(arguments)
        let environmentVector = CStrings(environment.map { "\($0)=\($1)" })
        var processID: pid_t = 0
        let code = unsafe posix_spawnp(
            &processID,
            arguments[0],
            &actions,
            &attributes,
            argumentVector.pointers,
            environmentVector.pointers
        )
        guard code == 0 else {
            if code == ENOENT { try Programs.require(arguments[0]) }
            throw PrivateKeyringError("\(arguments[0]) could not be started: error \(code)")
        }
        self.processID = processID
        descriptor = csupport_open_process(processID)
        guard descriptor >= 0 else {
            let failure = errno
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
            throw PrivateKeyringError("\(arguments[0]) cannot be waited for: error \(failure)")
        }
    }

    deinit { close(descriptor) }

    /// `POSIX_SPAWN_SETSID`, which Glibc in Swift leaves out.
    private static let newSession: Int32 = 0x80

    /// Sends a signal, unless the process has been waited for.
    package func signal(_ number: Int32) {
        status.withLock { status in
            if status == nil { _ = kill(processID, number) }
        }
    }

    /// Waits until the process ends; the status is as a shell reports it. After `limit`, prints once what the process
    /// does, and then kills it if `isKilled`.
    @discardableResult
    package func wait(limit: Duration = .seconds(300), isKilled: Bool = false) -> Int32 {
        let alarm = DispatchWorkItem { [self] in
            let stacks = Stacks.report(processID, "Process \(processID) has not ended within \(limit)")
            report.withLock { $0 += stacks }
            if isKilled { signal(SIGKILL) }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds)), execute: alarm)
        defer { alarm.cancel() }
        // First waits without reaping and without holding the lock, so that signals can be sent meanwhile.
        awaitChange(WEXITED)
        return status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            while unsafe waitpid(processID, &raw, 0) == -1, errno == EINTR {}
            let ended = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
            status = ended
            return ended
        }
    }

    /// Waits until the process has stopped or ended, and returns whether it has stopped.
    package func hasStopped() -> Bool { awaitChange(WSTOPPED | WEXITED) == Int32(CLD_STOPPED) }

    /// Waits until the process ends, and returns whether a signal ended it. Call it before ``wait(limit:isKilled:)``.
    package func diesOfSignal() -> Bool { awaitChange(WEXITED) == Int32(CLD_KILLED) }

    /// Indicates whether the process has not ended.
    package var isRunning: Bool { status.withLock { $0 } == nil && awaitChange(WEXITED | WNOHANG) == 0 }

    /// Waits for one of these changes, unless `WNOHANG` is among them, and returns its kind; 0 if there is none, or if
    /// the process was reaped before.
    @discardableResult
    private func awaitChange(_ changes: Int32) -> Int32 {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PIDFD, id_t(descriptor), &information, changes | WNOWAIT) == -1, errno == EINTR {}
        return unsafe information.si_code
    }

    /// Suspends the process, and returns whether it has stopped or, if it ends first, has not.
    @discardableResult
    package func stop() -> Bool {
        signal(SIGSTOP)
        return hasStopped()
    }

    /// Kills the process, suspended or not, and returns when it is gone.
    package func end() {
        signal(SIGKILL)
        wait()
    }
}

/// The exit status and the output of a process.
package struct ProcessResult: Sendable {
    /// The exit status; 128 and the signal's number if a signal ended it.
    package let status: Int32
    /// The text of its standard output.
    package let standardOutput: String
    /// The text of its standard error, and what its threads did if it was killed at its limit.
    package let standardError: String
}

extension ProcessResult {
    /// Runs a program to its end. After `limit`, prints what it does, and kills it.
    ///
    /// - Parameters:
    ///   - group: The process group; 0 for a new one.
    ///   - input: The text on its standard input.
    ///   - files: The path, without an extension, of the files that hold its input and its output.
    package init(
        of command: [String],
        environment: [String: String],
        group: Int32 = 0,
        input: String = "",
        files: String,
        limit: Duration = .seconds(300)
    ) throws {
        try Files.write(input, to: "\(files).in")
        let inputFile = try Files.open("\(files).in", O_RDONLY)
        defer { close(inputFile) }
        let outputFile = try Files.open("\(files).out", O_WRONLY | O_CREAT | O_TRUNC)
        defer { close(outputFile) }
        let errorFile = try Files.open("\(files).err", O_WRONLY | O_CREAT | O_TRUNC)
        defer { close(errorFile) }
        let child = try ChildProcess(
            command,
            environment: environment,
            group: group,
            streams: .init(input: inputFile, output: outputFile, error: errorFile)
        )
        status = child.wait(limit: limit, isKilled: true)
        standardOutput = try Files.read("\(files).out")
        standardError = try Files.read("\(files).err") + child.report.withLock { $0 }
    }
}

/// The executables that were built together with the tests.
package enum BuiltProducts {
    /// Returns the path of an executable target's product.
    package static func executable(_ name: String) throws -> String { try "\(directory.get())/\(name)" }

    /// The directory of the test bundle, which has the products, too.
    private static let directory = Result {
        let here = UInt(bitPattern: #dsohandle)
        for line in try Files.read("/proc/self/maps").split(separator: "\n") {
            // start-end permissions offset device inode path
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields.count == 6, bounds.count == 2, (bounds[0]..<bounds[1]).contains(here) else { continue }
            let folders = fields[5].drop { $0 == " " }.split(separator: "/").dropLast()
            return "/" + folders.joined(separator: "/")
        }
        throw PrivateKeyringError("the test bundle cannot be found")
    }
}

/// A null-terminated vector of C strings, in the form that `posix_spawn` requires.
@safe final class CStrings {
    private(set) var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        unsafe pointers = strings.map { string in unsafe strdup(string) }
        unsafe pointers.append(nil)
    }

    deinit {
        for index in unsafe pointers.indices {
            unsafe free(pointers[index])
        }
    }
}
