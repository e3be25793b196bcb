internal import ArgumentParser
internal import CommandLineSupport
internal import Glibc
internal import SharedAuth

/// Moves users between slots, for one or many apps.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "migrate",
        abstract: "Move users from one slot to another, for one app or many, without signing them out.",
        discussion: """
            Copies each user, reads the copy back, stores the app's group choice, and then deletes the original. An \
            app that is running follows the move. An interrupted migration can be run again: completed moves are kept. \
            The users of a group are moved once, for all apps that have chosen it.

            The tool cannot know which groups an app declares: an app that is moved to a group that it does not \
            declare does not use the group, and reports an error. A report has one line of JSON for each app. With \
            --if-occupied replace, the removed session is written to REPORT.undo, encrypted; --undo REPORT reverses \
            everything in the report.
            """,
        examples: [
            "sharedauth migrate --from-own --to-group group.com.example.b --dry-run",
            "sharedauth migrate --from-group group.com.example.a --to-own --all-apps",
        ]
    )

    @Flag(help: "The users are in the apps' own slots.")
    var fromOwn = false

    @Option(help: ArgumentHelp("The users are in this access group.", valueName: "group"), completion: .accessGroups)
    var fromGroup: String?

    @Option(
        help: ArgumentHelp("Move the users to this access group.", valueName: "group"),
        completion: .accessGroups
    )
    var toGroup: String?

    @Flag(help: "Move the users to the apps' own slots.")
    var toOwn = false

    @Option(
        help: ArgumentHelp("An app to migrate; may be repeated. By default, that of --app-id.", valueName: "id"),
        completion: .appIDs
    )
    var forApp: [String] = []

    @Option(help: ArgumentHelp("A file of app ids, one per line; '-' is standard input.", valueName: "file"))
    var appsFrom: String?

    @Flag(help: "From the apps' own slots: every app with a user there. From a group: every app that has chosen it.")
    var allApps = false

    @Option(
        help: ArgumentHelp("If another user is at the target: fail, replace, add, skip or join.", valueName: "policy"),
        completion: .list(MigrationPolicy.allCases.map(\.rawValue)),
        transform: { name in
            guard let policy = MigrationPolicy(rawValue: name) else {
                throw ValidationError("Give one of fail, replace, add, skip and join.")
            }
            return policy
        }
    )
    var ifOccupied = MigrationPolicy.fail

    @Flag(help: "Print the planned moves, and change nothing.")
    var dryRun = false

    @Flag(help: "Do not prompt.")
    var yes = false

    @Option(help: ArgumentHelp("Add a line for each app to this file.", valueName: "file"))
    var report: String?

    @Option(
        help: ArgumentHelp("A directory in which apps store their choice; may be repeated.", valueName: "directory")
    )
    var stateDirectory: [String] = []

    @Option(help: ArgumentHelp("Move everything back that this report lists as moved.", valueName: "report"))
    var undo: String?

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if undo != nil {
            guard !fromOwn, fromGroup == nil, toGroup == nil, !toOwn, forApp.isEmpty, appsFrom == nil, !allApps,
                report == nil, !dryRun, ifOccupied == .fail
            else { throw ValidationError("--undo reads everything from the report. Leave the other options out.") }
            return
        }
        _ = try SlotChoice.group(fromGroup, orOwn: fromOwn, "--from-own or --from-group <group>")
        _ = try SlotChoice.group(toGroup, orOwn: toOwn, "--to-group <group> or --to-own")
        if allApps, !forApp.isEmpty || appsFrom != nil {
            throw ValidationError("--all-apps names all apps: leave --for-app and --apps-from out.")
        }
        if ifOccupied == .replace, report == nil, !dryRun {
            throw ValidationError(
                "--if-occupied replace needs --report: the sessions that are removed are kept in a file next to it."
            )
        }
    }

    func run() throws {
        let store = try app.recordStore()
        let options = try app.configuration(on: store)
        if let undo { return try Undoing(report: undo, store, project: options.project, self).run() }
        let migration = try UserMigration(
            from: fromGroup,
            to: toGroup,
            project: options.project,
            store: .custom(store),
            stateDirectories: stateDirectories,
            ifOccupied: ifOccupied
        )
        let apps = try selection(or: options.appID)
        var steps = try migration.plan(for: apps)
        if dryRun { return try preview(steps, migration) }
        if !yes {
            try confirm(steps, migration)
            // The user may have taken long to respond.
            steps = try migration.plan(for: apps)
        }
        let file = try report.map(MigrationReport.init)
        let sessions =
            try ifOccupied == .replace
            ? report.map { path in try UndoFile(nextTo: path, project: options.project, store: store) } : nil
        var run = MigrationRun(of: steps.reduce(0) { $0 + MigrationRun.count($1) }, file, sessions)
        run.perform(steps, of: migration)
        run.end()
        try run.summary.end(asJSON: app.json, saying: emptiness)
    }

    var stateDirectories: StateDirectories { StateDirectories(adding: stateDirectory) }

    private var emptiness: String {
        "There is nothing to migrate from \(fromGroup.map { "access group \($0)" } ?? "any app's own slot")."
    }

    /// Returns the named apps, or else the app of this call.
    private func selection(or appID: String?) throws -> UserMigration.Apps {
        if allApps { return .all }
        let ids = try forApp + (appsFrom.map(AppList.read) ?? [])
        if appsFrom != nil || !ids.isEmpty {
            guard !ids.isEmpty else { throw ValidationError("There is no app id in \(appsFrom ?? "the list").") }
            return .named(ids)
        }
        return .named([appID ?? AppIdentity.derivedAppID()])
    }

    private func preview(_ steps: [UserMigration.Step], _ migration: UserMigration) throws {
        let summary = MigrationSummary(try migration.preview(steps), of: migration)
        if !app.json { for line in summary.lines { try StandardOutput.write(line: line) } }
        try summary.end(asJSON: app.json, saying: emptiness)
    }

    private func confirm(_ steps: [UserMigration.Step], _ migration: UserMigration) throws {
        let summary = MigrationSummary(try migration.preview(steps), of: migration)
        if Terminal.isThere { for line in summary.lines { StandardError.write(line: line) } }
        try Terminal.confirm("\(summary.text) Continue?", orGive: "--yes to continue, or --dry-run for a preview")
    }
}

/// A list of app ids, one per line. Empty lines and text after `#` are ignored.
private enum AppList {
    private static let largest = 1 << 20

    static func read(_ path: String) throws -> [String] {
        let text: String
        if path == "-" {
            text = try StandardInput.rest(atMost: largest)
        } else {
            guard
                case .bytes(let bytes)? = try? SmallFile.read(
                    path,
                    path: path,
                    atMost: largest,
                    followingLinks: true,
                    demandsPrivacy: false
                ), let decoded = String(validating: bytes, as: UTF8.self)
            else { throw ValidationError("The app list \(path) cannot be read as text. Name another file.") }
            text = decoded
        }
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let id = line.prefix { $0 != "#" }.drop(while: \.isWhitespace)
            let trimmed = String(id.reversed().drop(while: \.isWhitespace).reversed())
            return trimmed.isEmpty ? nil : trimmed
        }
    }
}
