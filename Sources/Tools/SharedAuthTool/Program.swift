internal import CommandLineSupport
internal import DesktopSupport
internal import Glibc

/// Another program that this process can execute in place of itself.
enum Program {
    /// The reason a program could not be executed.
    struct Failure {
        /// The system's error number.
        let number: Int32

        /// The system's description of the error.
        var reason: String { unsafe String(cString: strerror(number)) }
    }

    /// Executes another program in place of this one. A name without a slash is looked up in `PATH`. The environment is
    /// unchanged, except for withheld and set variables. Returns only if this fails.
    ///
    /// All files that this process has opened are closed, and signals have their inherited settings.
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
        InheritedSignals.ignoreWriteSignals()
        return failure
    }

    /// Executes the program of that name from this program's folder, or else from `PATH`.
    static func becomeSibling(_ name: String, _ arguments: [String]) -> Failure {
        if let folder, unsafe access("\(folder)/\(name)", X_OK) == 0 { return become("\(folder)/\(name)", arguments) }
        return become(name, arguments)
    }

    /// Executes a sibling program for a verb that captured `arguments`.
    ///
    /// - Throws: `ToolError` with the status `unavailable` if the program cannot be executed.
    static func handOver(to program: String, _ arguments: [String]) throws {
        // Shared options may precede the verb. They are passed on, since that program has them, too.
        let leading = ProgramArguments.words.dropFirst().dropLast(arguments.count + 1)
        let failure = becomeSibling(program, leading + arguments)
        throw ToolError(
            .unavailable,
            "\(program) could not be started: \(failure.reason).",
            remedy: "Install it in the folder of sharedauth, or on PATH."
        )
    }

    /// The folder of this program, with links and `PATH` resolved.
    private static var folder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
