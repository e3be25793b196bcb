internal import CommandLineSupport
internal import Glibc

/// Another program, of which this process can be made one.
enum Program {
    /// Why a process did not become another program.
    struct Failure {
        /// The system's number of the error.
        let number: Int32

        /// What the system calls it.
        var reason: String { unsafe String(cString: strerror(number)) }
    }

    /// Goes on as another program, with the same environment but for variables that are withheld, and others that are set: a name without a slash is looked up on
    /// `PATH`. Returns only when that fails.
    ///
    /// Every file that this process has opened is closed by it, and signals are as they were when this process started.
    static func become(
        _ program: String,
        _ arguments: [String],
        withholding withheld: Set<String> = [],
        setting variables: [(name: String, value: String)] = []
    ) -> Failure {
        for name in withheld { unsafe unsetenv(name) }
        for (name, value) in variables { unsafe setenv(name, value, 1) }
        InheritedSignals.present.restore()
        let words = unsafe ([program] + arguments).map { unsafe strdup($0) }
        let failure = CoreDumps.withInheritedLimit {
            unsafe execvp(program, words + [nil])
            return Failure(number: errno)
        }
        for index in unsafe words.indices { unsafe free(words[index]) }
        signal(SIGPIPE, SIG_IGN)
        return failure
    }

    /// Goes on as the program of that name in the folder of this one, else as the one on `PATH`.
    static func becomeSibling(_ name: String, _ arguments: [String]) -> Failure {
        if let folder, unsafe access("\(folder)/\(name)", X_OK) == 0 { return become("\(folder)/\(name)", arguments) }
        return become(name, arguments)
    }

    /// The folder of this program, whatever link or `PATH` it was found by.
    private static var folder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
