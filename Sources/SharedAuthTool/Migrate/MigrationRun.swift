internal import CommandLineSupport
internal import SharedAuth
internal import Synchronization

/// The steps of a migration, performed one after the other, until they are done, the store fails, or a signal comes.
struct MigrationRun {
    private let migration: UserMigration
    private let report: MigrationReport?
    private let sessions: UndoFile?
    private(set) var summary = MigrationSummary()

    init(_ migration: UserMigration, _ report: MigrationReport?, _ sessions: UndoFile?) {
        self.migration = migration
        self.report = report
        self.sessions = sessions
    }

    /// Performs the steps. A signal ends the run after the present one.
    mutating func perform(_ steps: [UserMigration.Step]) {
        Interruption.begin()
        let bar = ProgressBar(of: steps.count)
        defer { bar.clear() }
        for (number, step) in steps.enumerated() {
            let tried = summary.tried
            if Interruption.isPending || !perform(step) {
                let rest = steps[(summary.tried == tried ? number : number + 1)...]
                summary.leave(rest.reduce(0) { $0 + max(1, $1.appIDs.count) })
                break
            }
            bar.show(number + 1)
        }
        do throws(AuthError) { try report?.close() } catch { summary.fail(error) }
        summary.isInterrupted = Interruption.isPending
        if summary.count(.moved) > 0, migration.target != nil { summary.mentionsDeclarations = true }
    }

    /// Performs one step, and says what went wrong.
    ///
    /// - Returns: whether it makes sense to go on.
    private mutating func perform(_ step: UserMigration.Step) -> Bool {
        do throws(AuthError) {
            try report?.reserve(step)
        } catch {
            summary.fail(error)
            return false
        }
        let outcomes = migration.perform(step) { session throws(AuthError) in
            try sessions?.add(session)
        }
        summary.add(outcomes)
        do throws(AuthError) {
            for outcome in outcomes { try report?.write(outcome, migration) }
        } catch {
            summary.fail(error)
            return false
        }
        return !outcomes.contains { $0.error.map { Self.endsAll.contains($0.code) } ?? false }
    }

    /// Failures that every further user would meet.
    private static let endsAll: Set<AuthErrorCode> = [
        .keyringLocked, .keyringUnavailable, .accessDenied, .promptDismissed, .storeFull,
    ]
}

/// A signal that has come while a migration runs, which ends it at the next good place.
enum Interruption {
    private static let hasCome = Mutex(false)

    /// From now on, the first SIGINT or SIGTERM is only noted.
    static func begin() {
        ProcessEnd.deferInterruption { hasCome.withLock { $0 = true } }
    }

    static var isPending: Bool { hasCome.withLock { $0 } }
}
