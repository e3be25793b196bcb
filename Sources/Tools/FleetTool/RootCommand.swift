internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import SharedAuth
internal import SharedAuthFleet

/// The command-line tool for fleets: enrols devices, and shows the state of this one.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharedauth fleet",
        abstract: "Share sign-ins among a person's devices, through a PostgreSQL server that cannot read them.",
        discussion: """
            The keys of this device are kept in the store that the options select: the keyring or, with --store file, \
            encrypted files. Apps that share sign-ins use the same store. No verb prints a key or a token; enrol prints \
            a code that is good for one device.

            Exit status: 0 done; 64 usage; 65 wrong or ended code, damaged record; 69 not enrolled, no response from the \
            server, a server that cannot be used; 70 any other error; 74 the output could not be written; 75 locked, \
            timed out, or another device was faster; 77 refused, or a server that shows forged data.
            """,
        version: Version.current,
        subcommands: [
            Begin.self, Enrol.self, Devices.self, Revoke.self, Withdraw.self, Status.self, Doctor.self, Leave.self,
            Reset.self, Schema.self,
        ]
    )

    // The parser passes these to the verbs, which declare the same options, so options work before and after the verb.
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    static func main() {
        CommandLineProgram.run(Self.self) { error in
            switch error {
            case let error as FleetError:
                ToolError(ExitCode(error.code), error.message, name: error.code.description, remedy: error.remedy)
            case let error as RecordStoreError: ToolError(AuthError(error), remedy: error.remedy)
            default: nil
            }
        }
    }
}

extension ExitCode {
    /// The exit status of an error, from `sysexits.h`.
    init(_ code: FleetError.Code) {
        self =
            switch code {
            case .invalidAddress: .usage
            case .wrongCode, .endedCode: .data
            case .away, .readOnly, .needsServer, .notEnrolled, .certificate, .schemaVersion, .pooler, .full:
                .unavailable
            case .notAdmitted, .noPerson, .unsafeRole, .changedSchema, .alreadyEnrolled, .removed, .reset,
                .forgedHeader, .divergedHeader, .outdated, .forgedRecord:
                .refused
            case .exchangeInterrupted, .conflict: .tryAgain
            default: .software
            }
    }
}

extension AppOptions {
    /// Returns the fleet of this device.
    func fleet() throws -> SharedAuthFleet.Fleet { try fleetAndStore().fleet }

    /// Returns the fleet, and this device's own store. A passphrase on standard input is read once.
    func fleetAndStore() throws -> (fleet: SharedAuthFleet.Fleet, store: any RecordStore) {
        let store = try recordStore()
        return (SharedAuthFleet.Fleet(local: store), store)
    }
}

extension Deadline {
    /// The time limit of a verb.
    static var ofVerb: Deadline { .after(.seconds(20)) }
}
