internal import Glibc
internal import Synchronization

/// Core dumps of this process, which would contain tokens.
///
/// The process remains inspectable for portals and keyrings, which read the identity of their callers from `/proc`.
package enum CoreDumps {
    private static let inherited = Mutex<rlimit?>(nil)

    /// Disables core dumps of this process.
    ///
    /// If core dumps are piped to a program, the kernel ignores a limit of 0, but not one of 1 byte.
    static func prevent() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return }
        inherited.withLock { $0 = limit }
        limit.rlim_cur = min(1, limit.rlim_max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Calls `body`, for example to start a program, with the limit that this process inherited.
    package static func withInheritedLimit<Value>(_ body: () -> Value) -> Value {
        guard var limit = inherited.withLock({ $0 }) else { return body() }
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        defer { prevent() }
        return body()
    }
}
