internal import ArgumentParser
internal import CommandLineSupport

/// Executes the tool for Adobe Pass. It is a separate program, so that the other verbs do not load the XML libraries.
struct Pass: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "pass",
        abstract: "Manage Adobe Pass tokens; see 'sharedauth pass --help'.",
        discussion: """
            Executes the program sharedauth-pass: the one in the folder of this program or, if there is none, the \
            first on PATH. If it is not found, the exit status is 69.
            """,
        examples: ["sharedauth pass status --app-id com.example.Player", "sharedauth pass tokens --json"]
    )

    @Argument(parsing: .captureForPassthrough, help: "A verb of sharedauth-pass, and its options.")
    var arguments: [String] = []

    func run() throws {
        let program = "sharedauth-pass"
        // Shared options may precede `pass`. They are passed on, since that program has them, too.
        let leading = CommandLine.arguments.dropFirst().dropLast(arguments.count + 1)
        let failure = Program.becomeSibling(program, leading + arguments)
        throw ToolError(
            .unavailable,
            "\(program) could not be started: \(failure.reason).",
            remedy: "Install it in the folder of sharedauth, or on PATH."
        )
    }
}
