internal import Glibc
internal import ToolConventions

/// Another program, of which this process can be made one.
enum Program {
    /// Goes on as another program, with the same environment: the one of that name beside this one, else on `PATH`.
    /// Returns only when that fails, and says why.
    static func become(_ name: String, _ arguments: [String]) -> String {
        if let folder, unsafe access("\(folder)/\(name)", X_OK) == 0 {
            return execute("\(folder)/\(name)", arguments)
        }
        return execute(name, arguments)
    }

    /// The folder of this program, whatever link or `PATH` it was found by.
    private static var folder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }

    /// A name without a slash is looked up on `PATH`.
    private static func execute(_ program: String, _ arguments: [String]) -> String {
        // As this program found it: it is inherited.
        let former = signal(SIGPIPE, SIG_DFL)
        defer { _ = signal(SIGPIPE, former) }
        ProcessEnd.forgetInterruption()
        let words = unsafe ([program] + arguments).map { unsafe strdup($0) }
        unsafe execvp(program, words + [nil])
        let error = errno
        for index in unsafe words.indices { unsafe free(words[index]) }
        return unsafe String(cString: strerror(error))
    }
}
