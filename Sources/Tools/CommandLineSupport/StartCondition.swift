internal import DesktopSupport
internal import Glibc

/// A resource that a tool needs to start and does not have. Without it, threads, GLib or the Swift runtime would die of
/// a signal, wait forever, or take the call for one without arguments.
struct StartCondition {
    /// The problem.
    let message: String
    /// The remedy.
    let remedy: String

    /// The first missing resource; nil if none is missing.
    static var lack: StartCondition? { lackOfArguments ?? lackOfFiles ?? lackOfMemory ?? lackOfThreads }

    /// Without the arguments, the call would be one without a verb.
    private static var lackOfArguments: StartCondition? {
        guard ProgramArguments.words.isEmpty else { return nil }
        return StartCondition(
            message: "The arguments of the call cannot be read from /proc/self/cmdline.",
            remedy: "Run it where /proc is mounted, and where it may open files."
        )
    }
}

extension StartCondition {
    /// The number of files that a keyring call opens in addition to the inherited ones: connections, and files that
    /// wake threads. Measured with `token --force-refresh`, which needs most.
    private static let neededFiles = 12

    private static var lackOfFiles: StartCondition? {
        guard let limit = limit(of: RLIMIT_NOFILE) else { return nil }
        var (free, file) = (0, rlim_t(0))
        while free < neededFiles, file < limit {
            if fcntl(Int32(truncatingIfNeeded: file), F_GETFD) < 0 { free += 1 }
            file += 1
        }
        guard free < neededFiles else { return nil }
        return StartCondition(
            message:
                "Only \(free) more files can be opened here, and \(neededFiles) are needed: the limit is \(limit).",
            remedy: "Raise it, for example with ulimit -n 64."
        )
    }
}

extension StartCondition {
    /// The address space that a keyring call takes after its start, in MiB; mostly stacks of threads. Measured:
    /// `sign-in` needs 65.
    private static let neededMemory: rlim_t = 70

    private static var lackOfMemory: StartCondition? {
        guard let limit = limit(of: RLIMIT_AS), let used = usedMemory else { return nil }
        // Each thread would reserve 64 MiB for its heap, and leave no room for the next thread's stack.
        useOneHeap()
        let left = (limit - min(limit, used)) >> 20
        guard left < neededMemory else { return nil }
        return StartCondition(
            message: "Only \(left) MiB of address space are left here, and \(neededMemory) are needed: the limit is "
                + "\(limit >> 20) MiB.",
            remedy: "Raise it, for example with ulimit -v \((used >> 10) + 2 * neededMemory << 10)."
        )
    }

    /// The address space of this process, in bytes.
    private static var usedMemory: rlim_t? {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &buffer, buffer.count)
        guard count > 0, let pages = rlim_t(String(decoding: buffer.prefix(count).prefix { $0 != 32 }, as: UTF8.self))
        else { return nil }
        return pages * rlim_t(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Calls glibc's `mallopt(M_ARENA_MAX, 1)`, which Swift does not import.
    private static func useOneHeap() {
        guard let address = unsafe dlsym(nil, "mallopt") else { return }
        typealias SetOption = @convention(c) (Int32, Int32) -> Int32
        _ = unsafe unsafeBitCast(address, to: SetOption.self)(-8, 1)
    }

    /// Returns a limit of the process; nil if unlimited.
    private static func limit(of resource: __rlimit_resource) -> rlim_t? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur < rlim_t.max >> 1
        else { return nil }
        return limit.rlim_cur
    }
}

extension StartCondition {
    /// The number of threads that a keyring call starts. With fewer, Dispatch waits forever, or GLib ends the process.
    private static let neededThreads = 7

    /// Only a start tells: the limit of the user counts all of the user's processes, and that of a control group is not
    /// reported.
    private static var lackOfThreads: StartCondition? {
        var gate = unsafe pthread_mutex_t()
        return unsafe withUnsafeMutablePointer(to: &gate) { gate in
            unsafe pthread_mutex_init(gate, nil)
            unsafe pthread_mutex_lock(gate)
            var threads: [pthread_t] = []
            var failure: Int32 = 0
            while threads.count < neededThreads, failure == 0 {
                var thread = pthread_t()
                failure = unsafe start(&thread, waitingAt: gate)
                if failure == 0 { threads.append(thread) }
            }
            unsafe pthread_mutex_unlock(gate)
            for thread in threads { pthread_join(thread, nil) }
            unsafe pthread_mutex_destroy(gate)
            return failure == 0 ? nil : lackOfThreads(free: threads.count)
        }
    }

    /// Starts a thread that passes a gate, and ends. Returns 0 or the error number.
    private static func start(
        _ thread: inout pthread_t,
        waitingAt gate: UnsafeMutablePointer<pthread_mutex_t>
    ) -> Int32 {
        let passing: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
            let gate = unsafe gate?.assumingMemoryBound(to: pthread_mutex_t.self)
            if let gate = unsafe gate {
                unsafe pthread_mutex_lock(gate)
                unsafe pthread_mutex_unlock(gate)
            }
            return nil
        }
        return unsafe pthread_create(&thread, nil, passing, gate)
    }

    private static func lackOfThreads(free: Int) -> StartCondition {
        let limit = limit(of: __RLIMIT_NPROC).map { ": the limit of the user's processes is \($0)" } ?? ""
        return StartCondition(
            message: "Only \(free) more threads can be started here, and \(neededThreads) are needed\(limit).",
            remedy: "End other programs, or raise the limit, for example with ulimit -u 4096."
        )
    }
}
