internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import PassVerbs
internal import SharedAuth

/// The command-line tool `sharedauth`.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharedauth",
        abstract: "One sign-in for all apps of an access group.",
        usage: "sharedauth [<options>] <verb> [<options>]",
        discussion: """
            'sharedauth help options' shows the options that every verb has: the app, the store of its users, JSON \
            output.

            Exit status: 0 done; 64 usage, malformed group or app id, input that is not UTF-8; 65 record damaged or of \
            a newer version; 67 no user, or unknown account; 69 no session bus, no keyring; 70 any other error; 71 too \
            little memory or too few open files to start; 74 the output could not be written; 75 locked, or timed out; \
            77 refused, or another issuer's account.
            """,
        version: Version.current,
        subcommands: [
            Status.self, WhoAmI.self, SignIn.self, ResetPassword.self, Link.self, SignOut.self, Accounts.self,
            SwitchUser.self, Forget.self,
            UseGroup.self, StoredUser.self, UpdateCurrentUser.self, Watch.self, Wait.self, Token.self, Run.self,
            List.self, Migrate.self, Unlock.self, Lock.self, CreateCollection.self, Doctor.self, SetAside.self,
            Pass.self, Fleet.self,
            OptionsHelp.self,
        ]
    )

    // The parser passes these to the verbs, whose options have the same type. They can be given before or after the
    // verb.
    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    static func main() {
        CommandLineProgram.run(Self.self) { error in
            (error as? AuthError).map(\.ofTool).map { ToolError($0, remedy: $0.toolRemedy) }
                ?? Pass.explanation(of: error)
        } commandWithoutParser: { arguments in
            PlainCall.command(of: arguments)
        }
    }
}
