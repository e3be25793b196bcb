internal import CommandLineSupport
internal import SharedAuth
internal import Synchronization

/// A run of migration steps, one after the other, until all are done, the store fails, or a signal arrives.
struct MigrationRun {
    private let report: MigrationReport?
    private let sessions: UndoFile?
    private var bar: ProgressBar
    private var done = 0
    /// Indicates whether a failure prevents all further steps.
    private var isOver = false
    private(set) var summary = MigrationSummary()

    /// Starts a run with this number of apps. A signal ends it after the current step.
    ///
    /// - Parameters:
    ///   - report: The file for the outcomes.
    ///   - sessions: The file for removed sessions.
    ///   - isUndo: True if the run restores sessions.
    init(of total: Int, _ report: MigrationReport? = nil, _ sessions: UndoFile? = nil, isUndo: Bool = false) {
        self.report = report
        self.sessions = sessions
        bar = ProgressBar(of: total)
        if isUndo { summary.restored = 0 }
        Interruption.begin()
    }

    /// Indicates whether no further step may start.
    var hasEnded: Bool { isOver || Interruption.isPending }

    /// Returns the number of apps in a step, or 1 for a group without apps.
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

    /// Performs other work that counts as one app.
    mutating func perform(_ work: (inout MigrationSummary) throws(AuthError) -> Void) {
        if hasEnded { return summary.leave(1) }
        do throws(AuthError) { try work(&summary) } catch { fail(error) }
        done += 1
        bar.show(done)
    }

    /// Counts apps that are not attempted.
    mutating func leave(_ apps: Int) { summary.leave(apps) }

    /// Records an error that concerns no single user.
    ///
    /// - Parameters:
    ///   - apps: The number of apps that were not attempted because of it.
    ///   - isLast: True if no further step may start. Otherwise, the kind of error decides.
    mutating func fail(_ error: AuthError, leaving apps: Int = 0, isLast: Bool = false) {
        summary.leave(apps)
        summary.fail(error)
        if isLast || Self.endsAll(error) { isOver = true }
        done += apps
    }

    /// Records users that were moved back, but also stay in the group.
    ///
    /// - Parameters:
    ///   - residents: The users that were in the group before the migration.
    ///   - appIDs: The apps that may use the other users.
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

    /// Errors that every further user would meet.
    private static let lasting: Set<AuthErrorCode> = [
        .keyringLocked, .keyringUnavailable, .accessDenied, .promptDismissed, .storeFull, .timedOut,
    ]

    /// Returns true if an error, or its underlying error, is one of these.
    private static func endsAll(_ error: AuthError) -> Bool {
        lasting.contains(error.code) || (error.underlying as? AuthError).map(endsAll) ?? false
    }
}

/// A signal that arrived during a migration. It ends the migration at the next safe point.
enum Interruption {
    private static let hasCome = Mutex(false)

    /// Records the first SIGINT, SIGTERM or SIGHUP from now on, without its usual effect.
    static func begin() {
        ProcessEnd.deferInterruption { hasCome.withLock { $0 = true } }
    }

    static var isPending: Bool { hasCome.withLock { $0 } }
}
