internal import ArgumentParser
internal import CommandLineSupport
internal import Glibc

/// Hands over to the tool for Adobe Pass, a program of its own: the other verbs do not load what reading XML takes.
struct Pass: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "pass",
        abstract: "Look after Adobe Pass tokens; see 'sharedauth pass --help'.",
        discussion: """
            The program sharedauth-pass does it: the one in the folder of this program or, if there is none, the first on PATH. If \
            there is none either, the exit status is 69.
            """,
        examples: ["sharedauth pass status --app-id com.example.Player", "sharedauth pass tokens --json"]
    )

    @Argument(parsing: .captureForPassthrough, help: "A verb of sharedauth-pass, and its options.")
    var arguments: [String] = []

    func run() throws {
        let program = "sharedauth-pass"
        // Options for all verbs may stand before `pass` too, and are that program's as well.
        let leading = CommandLine.arguments.dropFirst().dropLast(arguments.count + 1)
        let failure = Program.become(program, leading + arguments)
        throw ToolError(
            .unavailable,
            "\(program) could not be started: \(failure).",
            remedy: "Install it in the folder of sharedauth, or on PATH."
        )
    }
}

/// Another program, of which this process can be made one.
private enum Program {
    /// Goes on as another program, with the same environment: the one of that name in the folder of this one, else on
    /// `PATH`. Returns only when that fails, and says why.
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
