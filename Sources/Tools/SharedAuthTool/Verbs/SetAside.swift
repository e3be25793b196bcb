internal import ArgumentParser
internal import CommandLineSupport
internal import LocalIdentity
internal import SharedAuth

/// Sets a damaged record aside.
struct SetAside: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "set-aside",
        abstract: "Set a damaged record aside, so that the project works without it.",
        discussion: """
            'sharedauth doctor' names the record: identity-keys, or identity-accounts-00 to identity-accounts-15; \
            'user' is the record of a slot's users. A copy stays in the keyring, or in the directory of the file \
            store, under a name with 'set-aside'. Without the keys, all signed-in users have to sign in again; without \
            an account record, its accounts are lost. A record that is not damaged is not changed. Prompts on a \
            terminal, and requires --yes without one.
            """,
        examples: ["sharedauth set-aside identity-keys", "sharedauth set-aside user --own --yes"]
    )

    @Argument(
        help: ArgumentHelp("The record.", valueName: "record"),
        completion: .list(["user"] + IdentityRecord.all.map(\.name)),
        transform: { name in
            guard let record = DamageableRecord(name: name) else {
                throw ValidationError(
                    "There is no such record. Name one of those that doctor names, e.g. identity-keys."
                )
            }
            return record
        }
    )
    var record: DamageableRecord

    @Option(help: "The access group of the users.", completion: .accessGroups)
    var group: String?

    @Flag(help: "The users of the app's own slot.")
    var own = false

    @Flag(help: "Do not prompt.")
    var yes = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if case .users = record {
            _ = try SlotChoice.group(group, orOwn: own, "--group <group> or --own")
        } else if group != nil || own {
            throw ValidationError("--group and --own go with the record user alone.")
        }
    }

    func run() throws {
        if !yes {
            let question = "Set \(record.name) aside, if it is damaged? Then \(record.loss)."
            try Terminal.confirm(question, orGive: "--yes to set \(record.name) aside")
        }
        let wasDamaged: Bool
        switch record {
        case .users: wasDamaged = try app.auth().setAsideUsersIfDamaged(ofAccessGroup: group)
        case .identity(let record): wasDamaged = try setAside(record)
        }
        var table = Table()
        table.add("record", .string(record.name), row: "record", text: record.name)
        table.add("wasDamaged", .bool(wasDamaged), row: "was damaged", text: wasDamaged ? "yes" : "no")
        table.add("isSetAside", .bool(wasDamaged), row: "set aside", text: wasDamaged ? "yes" : "no, it is as it was")
        try table.print(asJSON: app.json)
    }

    private func setAside(_ record: IdentityRecord) throws -> Bool {
        let store = try app.recordStore()
        let options = try app.configuration(on: store)
        try AppInspection.check(project: options.project)
        return try record.setAsideIfDamaged(in: store, project: options.project, by: .after(options.timeout))
    }
}

/// A record that can be set aside, by its name on the command line.
enum DamageableRecord: Sendable {
    /// The users of a slot.
    case users
    /// A record of the embedded identity provider.
    case identity(IdentityRecord)

    init?(name: String) {
        if name == "user" {
            self = .users
        } else if let record = IdentityRecord(name: name) {
            self = .identity(record)
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .users: "user"
        case .identity(let record): record.name
        }
    }

    /// The loss without the record, as a clause.
    fileprivate var loss: String {
        switch self {
        case .users: "the users in it will have to sign in again"
        case .identity(.keys): "all signed-in users of this project will have to sign in again"
        case .identity(.accounts): "the accounts in it will be lost"
        }
    }
}
