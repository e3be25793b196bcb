internal import ArgumentParser
internal import CommandLineSupport

/// A verb that executes another program, so that the other verbs do not load the libraries which only that one needs.
struct ProgramVerb<Kind: ProgramKind>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            verb: Kind.verb,
            abstract: "\(Kind.purpose); see 'sharedauth \(Kind.verb) --help'.",
            discussion: """
                Executes the program \(Kind.program): the one in the folder of this program or, if there is none, the \
                first on PATH. If it is not found, the exit status is 69.
                """,
            examples: Kind.examples
        )
    }

    @Argument(parsing: .captureForPassthrough, help: "A verb of \(Kind.program), and its options.")
    var arguments: [String] = []

    func run() throws { try Program.handOver(to: Kind.program, arguments) }
}

/// A program that carries out one of this tool's verbs.
protocol ProgramKind {
    static var verb: String { get }
    /// The purpose, which begins the sentence about the verb.
    static var purpose: String { get }
    static var examples: [String] { get }
}

extension ProgramKind {
    /// The name of the executable.
    static var program: String { "sharedauth-\(verb)" }
}

/// The tool for fleets, which loads PostgreSQL's library.
enum FleetProgram: ProgramKind {
    static let verb = "fleet"
    static let purpose = "Share sign-ins among a person's devices"
    static let examples = ["sharedauth fleet status", "sharedauth fleet devices --json"]
}
