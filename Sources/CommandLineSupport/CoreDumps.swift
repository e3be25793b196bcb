internal import Glibc
internal import Synchronization

/// Dumps of this process's memory, in which tokens would be.
///
/// The process stays one that portals and keyrings may look at: they read of their callers in `/proc` who they are.
package enum CoreDumps {
    private static let inherited = Mutex<rlimit?>(nil)

    /// Has the system make none of this process: a limit of one byte stops those to a file and those to a program alike.
    static func prevent() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return }
        inherited.withLock { $0 = limit }
        limit.rlim_cur = min(1, limit.rlim_max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Does something with the limit that this process was started with, such as to start a program.
    package static func withInheritedLimit<Value>(_ body: () -> Value) -> Value {
        guard var limit = inherited.withLock({ $0 }) else { return body() }
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        defer { prevent() }
        return body()
    }
}
