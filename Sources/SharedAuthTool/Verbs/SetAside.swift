internal import ArgumentParser
internal import CommandLineSupport
internal import Glibc
internal import LocalIdentity
internal import SecretService
internal import SharedAuth

/// Puts a damaged record of the embedded identity provider out of the way.
struct SetAside: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-aside",
        abstract: "Set a damaged record of the accounts aside, so that the project can go on without it.",
        discussion: """
            'sharedauth doctor' names the record: identity-keys, or identity-accounts-00 to identity-accounts-15. A copy stays \
            in the keyring, or in the directory of the file store, under a name with 'set-aside'. Without the keys, everybody \
            who is signed in has to sign in again; without a record of accounts, those accounts are gone. A record that is not \
            damaged is left as it is. It asks on a terminal, and needs --yes without one.
            """
    )

    @Argument(
        help: ArgumentHelp("The record.", valueName: "record"),
        transform: { name in
            guard let record = IdentityRecord(name: name) else {
                throw ValidationError(
                    "There is no such record. Name one of those that doctor names, e.g. identity-keys."
                )
            }
            return record
        }
    )
    var record: IdentityRecord

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        if !yes { try confirm() }
        let store = try app.store.recordStore()
        let options = try app.configuration(on: store)
        try AppInspection.check(project: options.project)
        let wasDamaged = try record.setAsideIfDamaged(
            in: store,
            project: options.project,
            by: .after(options.timeout)
        )
        var table = Table()
        table.add("record", .string(record.name), "record", record.name)
        table.add("wasDamaged", .bool(wasDamaged), "was damaged", wasDamaged ? "yes" : "no")
        table.add("isSetAside", .bool(wasDamaged), "set aside", wasDamaged ? "yes" : "no, it is as it was")
        try table.print(asJSON: app.json)
    }

    private func confirm() throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw ValidationError("There is no terminal to ask on. Add --yes to set \(record.name) aside.")
        }
        let loss =
            switch record {
            case .keys: "everybody who is signed in in this project will have to sign in again"
            case .accounts: "the accounts in it will be gone"
            }
        StandardError.ask("Set \(record.name) aside, if it is damaged? Then \(loss). [y/N] ")
        let answer = (try? StandardInput.line("answer")) ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else {
            StandardError.write(line: "Nothing was changed.")
            throw ExitCode.refused
        }
    }
}
