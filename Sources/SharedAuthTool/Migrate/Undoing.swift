internal import CommandLineSupport
internal import SharedAuth

/// Brings back what a report says was moved, and the sessions that were removed for it, each of them once.
struct Undoing {
    /// Apps whose users go back the same way.
    private struct Way: Hashable {
        let from: String?
        let to: String?
        /// None where the apps came alone.
        let accounts: Set<AccountID>
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

    /// Brings everything back; all of it is read and checked before anything changes. Who is back already stays so.
    func run() throws {
        let lock = try ReportLock(report, creating: false)
        let lines = try MigrationReport.undoable(in: report)
        let sessions = try UndoFile.sessions(nextTo: report, project: project, store: store)
        let uids = Set(sessions.map(\.session.uid))
        for uid in lines.compactMap(\.replaced) where !uids.contains(uid) {
            throw ToolError(
                .data,
                "\(UndoFile.path(nextTo: report)) does not have the session of \(uid), which the report says it has. Nothing was "
                    + "changed.",
                remedy: "Put the undo file back next to the report."
            )
        }
        let removed = sessions.filter { !$0.isRestored }
        if !verb.yes {
            try Terminal.confirm("Bring back \(lines.count) moved and \(removed.count) replaced?", orGive: "--yes")
        }
        var run = MigrationRun(of: lines.count + removed.count, isUndo: true)
        try withExtendedLifetime(lock) {
            for (way, some) in ways(of: lines) {
                let leaving = lines.filter { $0.to == way.to }.compactMap(\.appID)
                bringBack(some, way, leaving: leaving, in: &run)
            }
            let file =
                try removed.isEmpty ? nil : UndoFile(nextTo: report, project: project, store: store)
            for kept in removed {
                run.perform { summary throws(AuthError) in
                    if try kept.session.restore(to: .custom(store)) { summary.restored? += 1 }
                    try file?.noteRestored(kept)
                }
            }
        }
        run.end()
        try run.summary.end(asJSON: verb.app.json, saying: "There is nothing to bring back in \(report).")
    }

    private func bringBack(
        _ lines: [ReportLine],
        _ way: Way,
        leaving: [String],
        in run: inout MigrationRun
    ) {
        if run.hasEnded { return run.leave(lines.count) }
        do throws(AuthError) {
            let migration = try UserMigration(
                from: way.to,
                to: way.from,
                project: project,
                store: .custom(store),
                stateDirectories: verb.stateDirectories
            )
            // Who was there before all of these moves stays there.
            let kept = way.accounts.filter { id in lines.allSatisfy { $0.residents.contains(id) } }
            // An app that has come to the group since may have brought the same users.
            let others = lines.compactMap { $0.appsAtTarget.map(Set.init) }.reduce(nil) { $0?.intersection($1) ?? $1 }
            let steps = try migration.plan(
                for: .named(lines.compactMap(\.appID)),
                UserMigration.Selection(
                    Array(way.accounts),
                    keeping: Array(kept),
                    otherAppIDs: Set(leaving).union(others ?? [])
                )
            )
            run.perform(steps, of: migration)
            run.noteStaying(way.accounts, before: kept, becauseOf: steps.flatMap(\.sharing), in: way.to)
        } catch {
            run.fail(error, leaving: lines.count)
        }
    }

    /// The lines that go back the same way, the last first.
    private func ways(of lines: [ReportLine]) -> [(Way, [ReportLine])] {
        var ways: [(Way, [ReportLine])] = []
        for line in lines.reversed() where !line.users.isEmpty {
            let way = Way(from: line.from, to: line.to, accounts: line.isJoined ? [] : Set(line.users))
            if let place = ways.firstIndex(where: { $0.0 == way }) {
                ways[place].1.append(line)
            } else {
                ways.append((way, [line]))
            }
        }
        return ways
    }
}
