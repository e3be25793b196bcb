internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import SharedAuth

/// Lists the data that all apps of the project have stored.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "list",
        abstract: "List the slots of all apps and access groups of the project, and the users signed in there.",
        discussion: """
            Lists every slot with data, of any app: the uid of the current user, the issuer of the account, and the \
            expiry of its token; the number of accounts, their size in bytes, and the time of their last change. \
            Slots that a fleet keeps, and records that are damaged, of a newer version or set aside, are marked, and \
            do not hide any others. A locked keyring is reported as an error, never as empty.

            A text that is too long for the line is truncated in the middle; --json prints all of it.
            """,
        examples: [
            "sharedauth list",
            "sharedauth list --group group.com.example.office --json",
        ]
    )

    @Option(
        name: .customLong("app"),
        help: ArgumentHelp("List this app's own slot; may be repeated.", valueName: "id"),
        completion: .appIDs
    )
    var apps: [String] = []

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp("List this access group; may be repeated.", valueName: "group"),
        completion: .accessGroups
    )
    var groups: [String] = []

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let owners =
            try apps.map { ListedSlot.Owner.app(try AppIdentity(appID: $0).appID) }
            + groups.map { ListedSlot.Owner.group(try AccessGroup($0).name) }
        let store = try app.recordStore()
        let options = try app.configuration(on: store)
        let slots = try ProjectInspection(project: options.project, store: store)
            .slots(of: owners.isEmpty ? nil : owners, by: .after(options.timeout))
        if app.json {
            let object: [String: JSONValue] = [
                "project": .string(options.project), "slots": .array(slots.map(\.json)),
            ]
            return try StandardOutput.write(line: try JSONValue.object(object).text)
        }
        if slots.isEmpty { return try StandardOutput.write(line: "nothing is stored") }
        let table = SlotTable(rows: slots.map(SlotTable.Row.init))
        for line in table.lines(terminalWidth: StandardOutput.terminalWidth) { try StandardOutput.write(line: line) }
    }
}

extension ListedSlot {
    /// The slot as JSON.
    var json: JSONValue {
        var object: [String: JSONValue] = [
            "slot": .string("unnamed"), "appID": .null, "accessGroup": .null, "file": .null, "state": .string(state),
            "reason": JSONValue(reason), "uid": JSONValue(current?.uid), "issuer": JSONValue(current?.knownIssuer),
            "expires": JSONValue(current?.expirationDate?.ISO8601Format()),
            "accounts": accountCount.map { .number(Double($0)) } ?? .null, "size": .number(Double(size)),
            "changed": JSONValue(modified?.ISO8601Format()), "duplicates": .number(Double(duplicates)),
            "setAside": .array(
                setAside.map { copy in
                    .object(["place": .string(copy.place), "date": JSONValue(copy.date?.ISO8601Format())])
                }
            ),
            "fleet": fleet.map { .object(["asOf": JSONValue($0.asOf?.ISO8601Format())]) } ?? .null,
        ]
        switch owner {
        case .app(let appID): (object["slot"], object["appID"]) = (.string("own"), .string(appID))
        case .group(let group): (object["slot"], object["accessGroup"]) = (.string("group"), .string(group))
        case .unnamed(let file): object["file"] = .string(file)
        }
        return .object(object)
    }

    /// The name of the slot in the table.
    var name: String {
        switch owner {
        case .app(let appID): "own \(appID)"
        case .group(let group): "group \(group)"
        case .unnamed(let file): "unnamed \(file.prefix { $0 != "." })"
        }
    }

    /// The current account; nil if no user is signed in.
    var current: Account? {
        if case .accounts(let record) = content { record.currentAccount } else { nil }
    }

    /// The number of accounts; nil if the record cannot be read.
    var accountCount: Int? {
        switch content {
        case .nothing: 0
        case .accounts(let record): record.accounts.count
        case .damaged, .newer: nil
        }
    }

    /// The state of the slot, by the names that `status` uses, and `newer`.
    var state: String {
        switch content {
        case .nothing: "signed-out"
        case .accounts: current == nil ? "signed-out" : "signed-in"
        case .damaged: "damaged"
        case .newer: "newer"
        }
    }

    /// The reason why the record cannot be read; otherwise nil.
    var reason: String? {
        switch content {
        case .nothing, .accounts: nil
        case .damaged(let reason), .newer(let reason): reason
        }
    }

    /// The mark of a slot that a fleet keeps; otherwise nil.
    private var fleet: UserRecord.FleetMark? {
        if case .accounts(let record) = content { record.fleet } else { nil }
    }

    /// Remarks on anything unusual, for the table.
    var marks: [String] {
        var marks: [String] = []
        switch content {
        case .nothing, .accounts: break
        case .damaged(let reason): marks.append("damaged: \(reason)")
        case .newer(let reason): marks.append("of a newer version: \(reason)")
        }
        if let fleet { marks.append("kept on a fleet" + (fleet.asOf.map { ", as of \($0.minute)" } ?? "")) }
        if duplicates > 0 { marks.append("\(duplicates) more in its place") }
        if !setAside.isEmpty { marks.append("\(setAside.count) set aside") }
        return marks
    }
}
