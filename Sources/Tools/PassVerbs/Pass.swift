package import ArgumentParser
internal import BrowserFlow
package import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// The verb for Adobe Pass, which has verbs of its own: they run the flows at the servers, and manage stored tokens.
package struct Pass: ParsableCommand {
    package static let configuration = CommandConfiguration(
        verb: "pass",
        abstract: "Sign in with a TV provider by Adobe Pass, and manage the stored tokens.",
        usage: "sharedauth pass [<options>] <verb> [<options>]",
        discussion: """
            The verbs login, authorize, preauthorize, logout and metadata send requests to the servers of --server; \
            the other verbs send none. Only authorize --media-token prints a token.

            Options may be given before or after the verb. Without --group, the app's private store is used. Without \
            --project, the project is adobe.pass.
            """,
        examples: [
            "sharedauth pass login --requestor ExampleNews --provider Cable", "sharedauth pass tokens --json",
        ],
        subcommands: [
            Login.self, Authorize.self, Preauthorize.self, Metadata.self, Logout.self, Status.self, Tokens.self,
            DeviceID.self, Import.self, Clear.self,
        ]
    )

    // The parser passes these to the verbs, which declare the same options, so options work before and after the verb.
    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    package init() {}

    /// Returns the tool's own message for an error of these verbs; nil for any other error.
    package static func explanation(of error: any Error) -> ToolError? {
        switch error {
        case let error as PassStoreError: ToolError(ExitCode(error.code), error.message, name: error.code.rawValue)
        case let error as BrowserFlowError:
            ToolError(.unavailable, error.message, name: "\(error.code)", remedy: error.remedy)
        case let error as PassTokenError: ToolError(.data, error.message, name: error.code.rawValue)
        default: nil
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
