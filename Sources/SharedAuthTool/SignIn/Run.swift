internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import Glibc
internal import SharedAuth

/// Goes on as a command that has the current user's ID token in its environment.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "run",
        abstract: "Run a command with the ID token of the current user in its environment.",
        discussion: """
            The token, refreshed if need be, is in the variable SHAREDAUTH_ID_TOKEN, and the second at which it expires, \
            counted since 1970, in SHAREDAUTH_ID_TOKEN_EXPIRY. With --env NAME, they are in NAME and NAME_EXPIRY, and \
            SHAREDAUTH_TOKEN_VARIABLES names NAME: 'sharedauth watch --exec' withholds it from its commands. Other secrets in \
            variables of SharedAuth, such as SHAREDAUTH_CLIENT_SECRET, are not passed on.

            Every program of the same user can read the environment of the command, in /proc. For a command that can read a \
            token from its standard input, 'sharedauth token' in a pipe shows it to nobody.

            This process becomes the command, whose exit status is the answer. As with 'env', it is 126 if the command cannot \
            be executed and 127 if it is not found.
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
                "\(variable) is no name for a variable. Use A to Z, a to z, 0 to 9 and _, no digit first."
            )
        }
    }

    /// Whether shells take a text for the name of a variable.
    private static func isName(_ text: String) -> Bool {
        func isLetter(_ character: Character) -> Bool {
            ("a"..."z").contains(character) || ("A"..."Z").contains(character) || character == "_"
        }
        return text.first.map(isLetter) ?? false
            && text.utf8.count == text.count && text.allSatisfy { isLetter($0) || ("0"..."9").contains($0) }
    }

    /// That a variable of another name than the usual one has a token.
    private var list: [(name: String, value: String)] {
        variable == SecretVariables.idToken ? [] : [(SecretVariables.tokenList, variable)]
    }

    func run() throws {
        let auth = try app.auth()
        let token = try CurrentToken(of: auth)
        // What the calls so far have left to do would be cut off.
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
    /// A command was found and could not be executed, as `env` and shells have it.
    fileprivate static let notExecutable = ExitCode(126)
    /// A command was not found, as `env` and shells have it.
    fileprivate static let notFound = ExitCode(127)
}
