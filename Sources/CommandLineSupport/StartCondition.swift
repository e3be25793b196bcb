internal import Glibc

/// A need of a tool that the system does not meet at its start. Without it, threads, GLib or the Swift runtime would
/// end the process by a signal, wait for ever, or take the call for an empty one.
struct StartCondition {
    /// The fault.
    let message: String
    /// A way to mend it.
    let remedy: String

    /// The first need that is not met; nil if there is none.
    static var lack: StartCondition? { lackOfArguments ?? lackOfFiles ?? lackOfMemory }

    /// The Swift runtime reads the arguments from `/proc`, and has none, not even the program's name, if it cannot.
    private static var lackOfArguments: StartCondition? {
        guard CommandLine.argc < 1 else { return nil }
        return StartCondition(
            message: "The arguments of the call cannot be read from /proc/self/cmdline.",
            remedy: "Run it where /proc is mounted, and where it may open files."
        )
    }
}

extension StartCondition {
    /// The number of files that a call of the keyring opens besides those that it was started with: connections, and
    /// files that wake threads; `token --force-refresh`, which needs most, was measured.
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
    /// The address space that a call of the keyring takes after its start, in MiB: most of it is the stacks of threads.
    /// (`sign-in` was measured to need 65.)
    private static let neededMemory: rlim_t = 70

    private static var lackOfMemory: StartCondition? {
        guard let limit = limit(of: RLIMIT_AS), let used = usedMemory else { return nil }
        // Each thread would reserve 64 MiB for what it allocates, and leave none for the next thread's stack.
        useOneHeap()
        let left = (limit - min(limit, used)) >> 20
        guard left < neededMemory else { return nil }
        return StartCondition(
            message: "Only \(left) MiB of address space are left here, and \(neededMemory) are needed: the limit is "
                + "\(limit >> 20) MiB.",
            remedy: "Raise it, for example with ulimit -v \((used >> 10) + 2 * neededMemory << 10)."
        )
    }

    /// The bytes of address space that this process takes up.
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

    /// glibc's `mallopt(M_ARENA_MAX, 1)`, which Swift does not import.
    private static func useOneHeap() {
        guard let address = unsafe dlsym(nil, "mallopt") else { return }
        typealias SetOption = @convention(c) (Int32, Int32) -> Int32
        _ = unsafe unsafeBitCast(address, to: SetOption.self)(-8, 1)
    }

    /// A limit of the process; nil if there is none.
    private static func limit(of resource: __rlimit_resource) -> rlim_t? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur < rlim_t.max >> 1
        else { return nil }
        return limit.rlim_cur
    }
}
