internal import ArgumentParser
internal import BrowserFlow
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// The command-line tool for Adobe Pass: runs the flows at the servers, and manages stored tokens.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharedauth pass",
        abstract: "Sign in with a TV provider by Adobe Pass, and manage the stored tokens.",
        discussion: """
            The verbs login, authorize, preauthorize, logout and metadata send requests to the servers of --server; \
            the other verbs send none. Only authorize --media-token prints a token.

            Options for all verbs may be given before or after the verb. Without --app-id, the app id is the Flatpak \
            id, else SHAREDAUTH_APP_ID, else the name of the snap or the program. Without --declare, the declared \
            access groups are those in SHAREDAUTH_ACCESS_GROUPS, separated by colons; if there are none, any \
            well-formed group may be used. Without --group, the app's private store is used. Without --project, the \
            project is adobe.pass.

            On a system without a Secret Service, use --store file (or SHAREDAUTH_STORE=file) and its options for \
            encrypted files, as for sharedauth.

            Exit status: 0 done; 64 usage, malformed group or app id; 65 damaged record or token, or a record of a \
            newer version; 67 no user is signed in; 69 no session bus, no keyring, no response from a server; 70 any \
            other error; 71 too little memory or too few open files to start; 74 the output could not be written; 75 \
            locked, timed out, or too many requests; 77 refused.
            """,
        version: Version.current,
        subcommands: [
            Login.self, Authorize.self, Preauthorize.self, Metadata.self, Logout.self, Status.self, Tokens.self,
            DeviceID.self, Import.self, Clear.self,
        ]
    )

    // The parser passes these to the verbs, which declare the same options, so options work before and after the verb.
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
    /// The exit status of an error, from `sysexits.h`.
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
