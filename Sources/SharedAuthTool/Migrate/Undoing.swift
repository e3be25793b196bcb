internal import CommandLineSupport
internal import DesktopSupport
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
            let vacant = vacantSlots(of: lines, way)
            run.perform(steps, of: migration)
            selectCurrent(of: vacant, way, in: &run)
            run.noteStaying(way.accounts, before: kept, becauseOf: steps.flatMap(\.sharing), in: way.to)
        } catch {
            run.fail(error, leaving: lines.count)
        }
    }

    /// The lines whose users go back to a slot in which nobody is current: of several users, one who was current is to be again.
    private func vacantSlots(of lines: [ReportLine], _ way: Way) -> [ReportLine] {
        if way.accounts.count < 2 { return [] }
        return lines.filter { (try? current(of: $0, way).id(by: deadline)) == .some(nil) }
    }

    /// Makes those current who were before the move: at the target, another app's user may have been.
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
