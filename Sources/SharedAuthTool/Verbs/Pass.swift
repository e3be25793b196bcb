internal import ArgumentParser
internal import CommandLineSupport

/// Hands over to the tool for Adobe Pass, a program of its own: the other verbs do not load what reading XML takes.
struct Pass: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "pass",
        abstract: "Manage Adobe Pass tokens; see 'sharedauth pass --help'.",
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
        let failure = Program.becomeSibling(program, leading + arguments)
        throw ToolError(
            .unavailable,
            "\(program) could not be started: \(failure.reason).",
            remedy: "Install it in the folder of sharedauth, or on PATH."
        )
    }
}
