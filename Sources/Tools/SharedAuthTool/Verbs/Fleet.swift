internal import ArgumentParser
internal import CommandLineSupport

/// Executes the tool for fleets, so that the other verbs do not load PostgreSQL's library.
struct Fleet: ParsableCommand {
    private static let program = "sharedauth-fleet"

    static let configuration = CommandConfiguration(
        verb: "fleet",
        abstract: "Share sign-ins among a person's devices; see 'sharedauth fleet --help'.",
        discussion: """
            Executes the program \(program): the one in the folder of this program or, if there is none, the first on \
            PATH. If it is not found, the exit status is 69.
            """,
        examples: ["sharedauth fleet status", "sharedauth fleet devices --json"]
    )

    @Argument(parsing: .captureForPassthrough, help: "A verb of \(program), and its options.")
    var arguments: [String] = []

    func run() throws { try Program.handOver(to: Self.program, arguments) }
}
