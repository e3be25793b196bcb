internal import ArgumentParser
internal import BrowserFlow
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// The command-line tool for Adobe Pass: the flows at the servers, and what is stored.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharedauth pass",
        abstract: "Sign in with a TV provider by Adobe Pass, and manage the stored tokens.",
        discussion: """
            The verbs login, authorize, preauthorize, logout and metadata ask the servers that --server names; the others ask none. \
            No token is printed, but for authorize --media-token.

            Options for all verbs stand before or after the verb. Without --app-id, the app id is the Flatpak id, else \
            SHAREDAUTH_APP_ID, else the name of the snap or the program. Without --declare, the declared access groups are those in \
            SHAREDAUTH_ACCESS_GROUPS, separated by colons; if there are none, any well-formed group may be used. Without \
            --group, it is about the app's private store, and without --project, the project is adobe.pass.

            Where there is no Secret Service, --store file (or SHAREDAUTH_STORE=file) and what goes with it mean encrypted \
            files, as for sharedauth.

            Exit status: 0 done; 64 usage, malformed group or app id; 65 damaged record or token, or a record of a newer \
            version; 67 nobody is signed in; 69 no session bus, no keyring, no answer of a server; 70 anything else; 71 too \
            little memory or too few open files to start; 74 the answer could not be written; 75 locked, timed out, or asked too often; 77 refused.
            """,
        version: Version.current,
        subcommands: [
            Login.self, Authorize.self, Preauthorize.self, Metadata.self, Logout.self, Status.self, Tokens.self,
            DeviceID.self, Import.self, Clear.self,
        ]
    )

    // The parser hands these to the verbs, whose own are of the same type: before or after the verb is all the same.
    @OptionGroup(title: "Options for all verbs") var options: PassOptions

    static func main() {
        CommandLineProgram.run(Self.self) { error in
            switch error {
            case let error as PassStoreError: ToolError(ExitCode(error.code), error.message, name: error.code.rawValue)
            case let error as BrowserFlowError:
                ToolError(.unavailable, error.message, name: "\(error.code)", remedy: error.remedy)
            case let error as PassTokenError: ToolError(.data, error.message, name: error.code.rawValue)
            default: nil
            }
        }
    }
}

extension ExitCode {
    /// The status, out of `sysexits.h`, with which the tool ends because of an error.
    init(_ code: PassStoreError.Code) {
        self =
            switch code {
            case .damaged, .newerSchema: .data
            case .unavailable: .unavailable
            case .locked, .timedOut, .outcomeUnknown, .conflict, .sessionEnded: .tryAgain
            case .denied, .invalidToken, .groupRefused: .refused
            default: .software
            }
    }
}
