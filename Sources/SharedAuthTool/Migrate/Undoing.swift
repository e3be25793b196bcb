internal import CommandLineSupport
internal import SharedAuth

/// Brings back what a report says was moved, and the sessions that were removed for it.
struct Undoing {
    /// Apps whose users go back the same way.
    private struct Way: Hashable {
        let from: String?
        let to: String?
        let uid: String
    }

    private let report: String
    private let store: any RecordStore
    private let project: String
    private let verb: Migrate

    init(report: String, _ store: any RecordStore, project: String, _ verb: Migrate) {
        self.report = report
        self.store = store
        self.project = project
        self.verb = verb
    }

    /// Brings everything back; all of it is read and checked before anything changes.
    func run() throws {
        let lines = try MigrationReport.lines(of: report).filter { $0.outcome == "moved" }
        let sessions = try UndoFile.sessions(beside: report, project: project, store: store)
        let uids = Set(sessions.map(\.uid))
        for uid in lines.compactMap(\.replaced) where !uids.contains(uid) {
            throw ToolError(
                .data,
                "\(UndoFile.path(beside: report)) does not have the session of \(uid), which the report says it has. Nothing was "
                    + "changed.",
                remedy: "Put the undo file back next to the report."
            )
        }
        if !verb.yes {
            try Terminal.confirm("Bring back \(lines.count) moved and \(uids.count) replaced?", orGive: "--yes")
        }
        var summary = MigrationSummary()
        for (way, lines) in ways(of: lines) {
            let migration = try migration(way)
            let steps = try migration.plan(
                for: .named(lines.compactMap(\.appID)),
                UserMigration.Extent(
                    uids: [way.uid],
                    keepsOriginals: lines.allSatisfy(\.wasAtTarget),
                    // A session that is to be put back needs the place.
                    sparesOthers: lines.allSatisfy { $0.replaced == nil }
                )
            )
            for step in steps { summary.add(migration.perform(step)) }
        }
        summary.restored = 0
        for session in sessions {
            do throws(AuthError) {
                if try session.restore(to: .custom(store)) { summary.restored? += 1 }
            } catch {
                summary.fail(error)
            }
        }
        try summary.end(asJSON: verb.app.json, saying: "There is nothing to bring back in \(report).")
    }

    private func migration(_ way: Way) throws(AuthError) -> UserMigration {
        try UserMigration(
            from: way.to,
            to: way.from,
            project: project,
            store: .custom(store),
            stateDirectories: verb.stateDirectories
        )
    }

    /// The lines that go back the same way, the last first.
    private func ways(of lines: [MigrationReport.Line]) -> [(Way, [MigrationReport.Line])] {
        var ways: [(Way, [MigrationReport.Line])] = []
        for line in lines.reversed() {
            guard let uid = line.uid else { continue }
            let way = Way(from: line.from, to: line.to, uid: uid)
            if let place = ways.firstIndex(where: { $0.0 == way }) {
                ways[place].1.append(line)
            } else {
                ways.append((way, [line]))
            }
        }
        return ways
    }
}
