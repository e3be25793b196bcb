internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// The result of a migration: the number of each outcome, and the exit status.
struct MigrationSummary {
    private var counts: [UserMigration.Outcome.Kind: Int] = [:]
    private var notTried = 0
    private var failure: ToolError?
    private let isDryRun: Bool
    /// One line for each outcome, for a preview.
    private(set) var lines: [String] = []
    /// The outcomes as JSON.
    private var moves: [JSONValue] = []
    var isInterrupted = false
    var mentionsDeclarations = false
    /// The number of restored sessions; nil if the run is not an undo.
    var restored: Int?
    /// Users that were moved back but also stay in the group, with the reason.
    private var staying: [(users: [String], group: String?, reason: String)] = []

    init() { isDryRun = false }

    /// Creates the summary of a preview.
    init(_ outcomes: [UserMigration.Outcome], of migration: UserMigration) {
        isDryRun = true
        // The move that occupies the target group first, and so excludes the users of later moves in this run.
        let first = migration.target == nil ? nil : outcomes.first { $0.kind == .moved && !$0.wasAtTarget }
        for outcome in outcomes {
            counts[outcome.kind, default: 0] += 1
            let user = outcome.uid.map { "user \($0)" } ?? "nobody"
            var line = "\(word(outcome.kind))  \(outcome.appID ?? "(no known app)"), \(user)"
            if let replaced = outcome.replacedUID { line += ", in the place of \(replaced)" }
            if let error = outcome.error {
                line += ": "
                if let first, error.code == .accessGroupOccupied {
                    line +=
                        "the user of \(first.appID ?? "another app") is moved to access group \(migration.target ?? "") first, in this run."
                } else {
                    line += error.message
                }
            }
            lines.append(line)
            moves.append(ReportLine(outcome, migration).json)
            if outcome.kind == .failed { failure = failure ?? outcome.error.map(ToolError.init(ofMigration:)) }
        }
    }

    func count(_ kind: UserMigration.Outcome.Kind) -> Int { counts[kind] ?? 0 }

    /// The number of apps with an outcome.
    var tried: Int { counts.values.reduce(0, +) }

    /// Counts outcomes, and writes their errors to standard error.
    mutating func add(_ outcomes: [UserMigration.Outcome]) {
        for outcome in outcomes {
            counts[outcome.kind, default: 0] += 1
            guard let error = outcome.error.map(ToolError.init(ofMigration:)) else { continue }
            if [.failed, .pending].contains(outcome.kind) { failure = failure ?? error }
            let place = [outcome.appID, outcome.uid.map { "user \($0)" }].compactMap(\.self).joined(separator: ", ")
            ProgressBar.write(place.isEmpty ? error : error.about(place))
        }
    }

    /// Records an error that concerns no single user.
    mutating func fail(_ error: AuthError) {
        let error = ToolError(ofMigration: error)
        failure = failure ?? error
        ProgressBar.write(error)
    }

    /// Records users that stay in the slot they were moved to.
    mutating func stay(_ users: Set<AccountID>, in group: String?, because reason: String) {
        if !users.isEmpty { staying.append((users.map(\.uid).sorted(), group, reason)) }
    }

    /// Counts apps that were not reached.
    mutating func leave(_ number: Int) { notTried += number }

    private func word(_ kind: UserMigration.Outcome.Kind) -> String {
        let word =
            switch kind {
            case .moved: "move"
            case .joined: "join"
            case .alreadyThere: "there already"
            case .nothing: "nothing"
            case .conflict: "conflict"
            case .skipped: "skip"
            case .pending: "pending"
            case .failed: "error"
            }
        return word.padded(to: 13)
    }

    /// All counts in one sentence.
    var text: String {
        var parts = [
            "\(count(.moved)) \(isDryRun ? "to move" : "moved")", "\(count(.alreadyThere)) there already",
            "\(count(.conflict)) \(count(.conflict) == 1 ? "conflict" : "conflicts")", "\(count(.skipped)) skipped",
            "\(count(.nothing)) empty", "\(count(.failed)) failed",
        ]
        if count(.joined) > 0 { parts.append("\(count(.joined)) \(isDryRun ? "to join" : "joined")") }
        if count(.pending) > 0 { parts.append("\(count(.pending)) pending") }
        if let restored { parts.append("\(restored) \(restored == 1 ? "session" : "sessions") restored") }
        if notTried > 0 { parts.append("\(notTried) not tried") }
        return parts.joined(separator: ", ") + "."
    }

    private var json: JSONValue {
        var members: [String: JSONValue] = [
            "moved": .number(Double(count(.moved))), "alreadyThere": .number(Double(count(.alreadyThere))),
            "conflicts": .number(Double(count(.conflict))), "skipped": .number(Double(count(.skipped))),
            "nothing": .number(Double(count(.nothing))), "failed": .number(Double(count(.failed))),
            "joined": .number(Double(count(.joined))), "pending": .number(Double(count(.pending))),
            "notTried": .number(Double(notTried)), "dryRun": .bool(isDryRun), "interrupted": .bool(isInterrupted),
        ]
        if isDryRun { members["moves"] = .array(moves) }
        if mentionsDeclarations { members["note"] = .string(Self.note) }
        if let restored { members["restored"] = .number(Double(restored)) }
        if restored != nil { members["staying"] = .array(staying.flatMap(\.users).map(JSONValue.string)) }
        return .object(members)
    }

    private static let note =
        "This tool cannot know which groups an app declares. An app that does not declare its new group reports that at its next "
        + "read, and uses no slot."

    /// Prints the counts, and throws the exit status that follows from them.
    ///
    /// - Parameter emptiness: The message if there was nothing to migrate.
    func end(asJSON: Bool, saying emptiness: String) throws {
        try StandardOutput.write(line: asJSON ? try json.text : text)
        if mentionsDeclarations, !asJSON { StandardError.write(line: Self.note) }
        if !asJSON {
            for (users, group, reason) in staying {
                let slot = group.map { "access group \($0)" } ?? "the apps' own slots"
                let verb = users.count == 1 ? "stays" : "stay"
                StandardError.write(line: "\(users.joined(separator: ", ")) \(verb) in \(slot), too, \(reason).")
            }
        }
        if isInterrupted { ProcessEnd.byDeferredSignal() }
        if let failure { throw failure.status }
        if count(.conflict) + count(.skipped) > 0 { throw ExitCode.tryAgain }
        let isAnything = count(.moved) + count(.joined) + count(.alreadyThere) + (restored ?? 0) > 0
        if !isAnything { throw ToolError(.noUser, emptiness) }
    }
}

extension ToolError {
    /// Creates an error of a migration. For a conflict or an unknown outcome, keeps the error's remedy, which suits the
    /// tool.
    fileprivate init(ofMigration error: AuthError) {
        let isOwn = error.code == .conflict || error.code == .outcomeUnknown
        self.init(error, remedy: isOwn ? error.remedy : error.toolRemedy)
    }
}
