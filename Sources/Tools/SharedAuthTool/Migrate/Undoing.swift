internal import CommandLineSupport
internal import DesktopSupport
internal import SharedAuth

/// Reverses the moves in a report, and restores the sessions that were removed for them, each one once.
struct Undoing {
    /// A route that users of several apps take back.
    private struct Way: Hashable {
        let from: String?
        let to: String?
        /// The users; empty if only the apps moved.
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

    /// Reverses everything. All data is read and checked before anything changes. Users that are back already are not
    /// moved.
    func run() throws {
        let lock = try ReportLock(report, creating: false)
        let lines = try MigrationReport.undoable(in: report)
        let sessions = try UndoFile.sessions(nextTo: report, project: project, store: store)
        let uids = Set(sessions.map(\.session.uid))
        for uid in lines.compactMap(\.replaced) where !uids.contains(uid) {
            throw ToolError(
                .data,
                "\(UndoFile.path(nextTo: report)) lacks the session of \(uid), which the report names. Nothing was "
                    + "changed.",
                remedy: "Put the undo file back next to the report."
            )
        }
        let removed = sessions.filter { !$0.isRestored }
        if !verb.yes {
            try Terminal.confirm(
                "Undo this migration (\(lines.count) moved, \(removed.count) replaced)?",
                orGive: "--yes"
            )
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
            // Users that were there before all of these moves stay there.
            let kept = way.accounts.filter { id in lines.allSatisfy { $0.residents.contains(id) } }
            // An app that joined the group since may have brought the same users.
            let others = lines.compactMap { $0.appsAtTarget.map(Set.init) }.reduce(nil) { $0?.intersection($1) ?? $1 }
            let steps = try migration.plan(
                for: .named(lines.compactMap(\.appID)),
                UserMigration.Selection(
                    Array(way.accounts),
                    keeping: Array(kept),
                    otherAppIDs: Set(leaving).union(others ?? [])
                )
            )
            let vacant = vacantSlots(of: lines, way)
            run.perform(steps, of: migration)
            selectCurrent(of: vacant, way, in: &run)
            run.noteStaying(way.accounts, before: kept, becauseOf: steps.flatMap(\.sharing), in: way.to)
        } catch {
            run.fail(error, leaving: lines.count)
        }
    }

    /// Returns the lines whose users return to a slot that has no current user. If several users return, the one that
    /// was current has to be selected again.
    private func vacantSlots(of lines: [ReportLine], _ way: Way) -> [ReportLine] {
        if way.accounts.count < 2 { return [] }
        return lines.filter { (try? current(of: $0, way).id(by: deadline)) == .some(nil) }
    }

    /// Makes the users current again that were current before the move. At the target, another app's user may have been
    /// the current one.
    private func selectCurrent(of lines: [ReportLine], _ way: Way, in run: inout MigrationRun) {
        for line in lines {
            guard let uid = line.uid else { continue }
            do throws(AuthError) {
                try current(of: line, way).select(uid: uid, among: way.accounts, by: deadline)
            } catch {
                run.fail(error)
            }
        }
    }

    private func current(of line: ReportLine, _ way: Way) -> CurrentAccount {
        CurrentAccount(inAccessGroup: way.from, appID: line.appID, project: project, store: store)
    }

    private var deadline: Deadline { .after(.seconds(5)) }

    /// Groups the lines by route, the last line first.
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
