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
        try Program.handOver(to: "sharedauth-pass", arguments)
    }
}
