internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import Glibc
internal import SharedAuth

/// Executes a command with the current user's ID token in its environment.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "run",
        abstract: "Run a command with the ID token of the current user in its environment.",
        discussion: """
            The variable SHAREDAUTH_ID_TOKEN contains the token, refreshed if needed, and SHAREDAUTH_ID_TOKEN_EXPIRY \
            the second at which it expires, counted since 1970. With --env NAME, the variables are NAME and \
            NAME_EXPIRY, and SHAREDAUTH_TOKEN_VARIABLES contains NAME, so that 'sharedauth watch --exec' withholds \
            them from its commands. Other secrets in variables of SharedAuth, such as SHAREDAUTH_CLIENT_SECRET, are \
            not passed on.

            Every program of the same user can read the environment of the command, in /proc. If the command can read \
            a token from its standard input, pipe it from 'sharedauth token', which exposes it to no other program.

            The command replaces this process, and its exit status is returned. As with 'env', the status is 126 if \
            the command cannot be executed and 127 if it is not found.
            """,
        examples: [
            "sharedauth run -- ./upload report.pdf",
            "sharedauth run --env API_TOKEN -- python3 sync.py",
        ]
    )

    @Option(
        name: .customLong("env"),
        help: ArgumentHelp("The variable for the token.", valueName: "name")
    )
    var variable = SecretVariables.idToken

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after '--'.")
    var command: [String] = []

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if command.isEmpty { throw ValidationError("Give a command after '--': sharedauth run -- COMMAND ...") }
        guard Self.isName(variable), variable != SecretVariables.tokenList else {
            throw ValidationError(
                "\(variable) is not a valid name for a variable. Use A to Z, a to z, 0 to 9 and _, no digit first."
            )
        }
    }

    /// Returns true if shells accept a text as the name of a variable.
    private static func isName(_ text: String) -> Bool {
        func isLetter(_ character: Character) -> Bool {
            ("a"..."z").contains(character) || ("A"..."Z").contains(character) || character == "_"
        }
        return text.first.map(isLetter) ?? false
            && text.utf8.count == text.count && text.allSatisfy { isLetter($0) || ("0"..."9").contains($0) }
    }

    /// The variable that contains the name of the token's variable, if that is not the usual one.
    private var list: [(name: String, value: String)] {
        variable == SecretVariables.idToken ? [] : [(SecretVariables.tokenList, variable)]
    }

    func run() throws {
        let auth = try app.auth()
        let token = try CurrentToken(of: auth)
        // Wait for pending work of the calls so far: the new program would cut it off.
        auth.waitUntilIdle()
        let failure = Program.become(
            command[0],
            Array(command.dropFirst()),
            withholding: SecretVariables.all,
            setting: [(variable, token.text), (SecretVariables.expiry(of: variable), "\(token.expiry)")] + list
        )
        throw ToolError(
            failure.number == ENOENT ? .notFound : .notExecutable,
            "\(command[0]) could not be started: \(failure.reason).",
            name: failure.number == ENOENT ? "commandNotFound" : "commandNotExecutable"
        )
    }
}

extension ExitCode {
    /// A command was found but could not be executed, as in `env` and shells.
    fileprivate static let notExecutable = ExitCode(126)
    /// A command was not found, as in `env` and shells.
    fileprivate static let notFound = ExitCode(127)
}
