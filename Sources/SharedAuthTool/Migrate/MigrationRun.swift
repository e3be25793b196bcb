internal import CommandLineSupport
internal import SharedAuth
internal import Synchronization

/// The steps of migrations, performed one after the other, until they are done, the store fails, or a signal comes.
struct MigrationRun {
    private let report: MigrationReport?
    private let sessions: UndoFile?
    private var bar: ProgressBar
    private var done = 0
    /// Whether it makes no sense to go on.
    private var isOver = false
    private(set) var summary = MigrationSummary()

    /// Begins a run with so many apps. A signal ends it after the present step.
    ///
    /// - Parameters:
    ///   - report: what outcomes are written to.
    ///   - sessions: what receives the sessions that are removed.
    ///   - isUndo: whether it puts sessions back.
    init(of total: Int, _ report: MigrationReport? = nil, _ sessions: UndoFile? = nil, isUndo: Bool = false) {
        self.report = report
        self.sessions = sessions
        bar = ProgressBar(of: total)
        if isUndo { summary.restored = 0 }
        Interruption.begin()
    }

    /// Whether nothing more is to be begun.
    var hasEnded: Bool { isOver || Interruption.isPending }

    /// How many apps a step is about, or a group without any.
    static func count(_ step: UserMigration.Step) -> Int { max(1, step.appIDs.count) }

    /// Performs steps.
    mutating func perform(_ steps: [UserMigration.Step], of migration: UserMigration) {
        for step in steps {
            if hasEnded {
                summary.leave(Self.count(step))
            } else {
                perform(step, of: migration)
            }
        }
        if summary.restored == nil, summary.count(.moved) + summary.count(.joined) > 0, migration.target != nil {
            summary.mentionsDeclarations = true
        }
    }

    private mutating func perform(_ step: UserMigration.Step, of migration: UserMigration) {
        do throws(AuthError) {
            try report?.reserve(step, migration)
        } catch {
            summary.leave(Self.count(step))
            return fail(error, isLast: true)
        }
        let sessions = sessions
        let outcomes = migration.perform(step) { session throws(AuthError) in
            try sessions?.add(session)
        } progress: {
            bar.advance()
        }
        done += Self.count(step)
        summary.add(outcomes)
        do throws(AuthError) { try report?.write(outcomes, migration) } catch { fail(error, isLast: true) }
        if outcomes.contains(where: { $0.error.map(Self.endsAll) ?? false }) { isOver = true }
        bar.show(done)
    }

    /// Does other work that is as long as that of an app.
    mutating func perform(_ work: (inout MigrationSummary) throws(AuthError) -> Void) {
        if hasEnded { return summary.leave(1) }
        do throws(AuthError) { try work(&summary) } catch { fail(error) }
        done += 1
        bar.show(done)
    }

    /// Counts apps that are not tried.
    mutating func leave(_ apps: Int) { summary.leave(apps) }

    /// Notes an error that does not belong to one user.
    ///
    /// - Parameters:
    ///   - apps: how many were not tried because of it.
    ///   - isLast: whether nothing more is to be begun; else the error says it.
    mutating func fail(_ error: AuthError, leaving apps: Int = 0, isLast: Bool = false) {
        summary.leave(apps)
        summary.fail(error)
        if isLast || Self.endsAll(error) { isOver = true }
        done += apps
    }

    /// Notes users who were brought back, and stay in the group, too.
    ///
    /// - Parameters:
    ///   - residents: those of them who were there before the migration.
    ///   - appIDs: the apps that may use the others.
    mutating func noteStaying(
        _ users: Set<AccountID>,
        before residents: Set<AccountID>,
        becauseOf appIDs: [String],
        in group: String?
    ) {
        summary.stay(residents, in: group, because: "as before the migration")
        if appIDs.isEmpty { return }
        let apps = appIDs.prefix(3).joined(separator: ", ") + (appIDs.count > 3 ? " and others" : "")
        summary.stay(users.subtracting(residents), in: group, because: "as \(apps) may use them there")
    }

    /// Ends the run.
    mutating func end() {
        do throws(AuthError) { try report?.close() } catch { summary.fail(error) }
        bar.clear()
        summary.isInterrupted = Interruption.isPending
    }

    /// Failures that every further user would meet.
    private static let lasting: Set<AuthErrorCode> = [
        .keyringLocked, .keyringUnavailable, .accessDenied, .promptDismissed, .storeFull, .timedOut,
    ]

    /// Whether an error, or the one that it stands for, is such a failure.
    private static func endsAll(_ error: AuthError) -> Bool {
        lasting.contains(error.code) || (error.underlying as? AuthError).map(endsAll) ?? false
    }
}

/// A signal that has come while a migration runs, which ends it at the next good place.
enum Interruption {
    private static let hasCome = Mutex(false)

    /// From now on, the first SIGINT, SIGTERM or SIGHUP is only noted.
    static func begin() {
        ProcessEnd.deferInterruption { hasCome.withLock { $0 = true } }
    }

    static var isPending: Bool { hasCome.withLock { $0 } }
}
