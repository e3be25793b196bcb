internal import CommandLineSupport
internal import FoundationEssentials
internal import Glibc
internal import SharedAuth

/// A report file with one line of JSON for each app, to which a run appends.
///
/// Space for the lines of a step is reserved before the step starts, so that a full disk stops the run before a user is
/// moved. Meanwhile, a file next to the report lists the apps of the step, so that the moves of a killed run are known.
final class MigrationReport {
    private let path: String
    private let lock: ReportLock
    private var end: off_t
    private var begun: BegunLines

    /// Opens the report, or creates it. New lines follow the existing ones.
    init(at path: String) throws {
        self.path = path
        lock = try ReportLock(path, creating: true)
        begun = try BegunLines(nextTo: path)
        end = Self.endOfLines(lock.file)
    }

    /// Returns the end of the lines of earlier runs. Space that a run reserved and did not use is blank.
    private static func endOfLines(_ file: Int32) -> off_t {
        var end = lseek(file, 0, SEEK_END)
        var byte: UInt8 = 0
        while end > 0 {
            guard unsafe pread(file, &byte, 1, end - 1) == 1, byte == UInt8(ascii: " ") else { break }
            end -= 1
        }
        return end
    }

    /// Reserves space for the lines of a step, and records the users that it is about to move.
    func reserve(_ step: UserMigration.Step, _ migration: UserMigration) throws(AuthError) {
        let beginning = step.beginning(of: migration)
        let uids = beginning.first?.uids ?? [step.uid].compactMap(\.self)
        let room = 2048 + 256 * ReportLine.mostApps + 24 * uids.reduce(0) { $0 + $1.utf8.count + 4 }
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: room * max(1, step.appIDs.count))
        do throws(AuthError) {
            try put(blanks)
            try begun.add(beginning.map { ReportLine($0, migration) })
        } catch {
            throw error.saying("no user was moved since its last line")
        }
    }

    /// Writes the lines with a step's outcomes.
    func write(_ outcomes: [UserMigration.Outcome], _ migration: UserMigration) throws(AuthError) {
        do throws(AuthError) {
            for outcome in outcomes {
                let bytes = Array("\(begun.completed(ReportLine(outcome, migration)).text)\n".utf8)
                try put(bytes)
                end += off_t(bytes.count)
            }
        } catch {
            throw error.saying(
                "the last step is not in it, but migrate --undo finds it in \(BegunLines.path(nextTo: path))"
            )
        }
        begun.remove(outcomes.map { ReportLine($0, migration) })
    }

    /// Releases unused space, and waits until the lines are on disk.
    func close() throws(AuthError) {
        guard ftruncate(lock.file, end) == 0, fsync(lock.file) == 0 else {
            throw .unwritableReport(path).saying("its lines may be lost in a power failure")
        }
        begun.close()
    }

    private func put(_ bytes: [UInt8]) throws(AuthError) {
        do throws(SystemError) {
            try SmallFile.put(bytes, at: end, in: lock.file)
        } catch {
            throw .unwritableReport(path, error)
        }
    }

    /// Returns the lines of a report, and of the file next to it, that can be undone, in the order of the moves.
    ///
    /// - Throws: `recordDamaged` if the file is not a report.
    static func undoable(in path: String) throws(AuthError) -> [ReportLine] {
        let lines = try ReportLine.all(in: path).filter { $0.isMoved || $0.isJoined }
        let begun = try BegunLines(nextTo: path).lines
        return lines + begun.filter { line in !lines.contains { $0.isOfSameMove(as: line) } }
    }
}

/// An exclusive lock of a report. Two runs would overwrite each other's lines, and the sessions that they removed.
final class ReportLock {
    let file: Int32

    /// Opens the report, and takes its lock.
    ///
    /// - Throws: `conflict` if another run has the lock; `ToolError` for a file that cannot be a report or does not
    ///   exist; an `AuthError` if it cannot be opened.
    init(_ path: String, creating: Bool) throws {
        let irregular = ToolError(
            .usage,
            "\(path) is no regular file, and cannot be a report. Name another file."
        )
        // Opening a device may have any effect.
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw irregular }
        let flags = creating ? O_RDWR | O_CREAT : O_RDONLY
        file = unsafe open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW, 0o600)
        // The file may have been replaced meanwhile.
        if file >= 0, unsafe fstat(file, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
            close(file)
            throw irregular
        }
        guard file >= 0 else {
            if !creating, errno == ENOENT {
                throw ToolError(
                    .usage,
                    "There is no file \(path). Nothing was changed.",
                    remedy: "Name the file that --report wrote."
                )
            }
            if !creating { throw AuthError.noReport(path, "it cannot be read") }
            throw AuthError.unwritableReport(path).saying("no user was moved")
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw AuthError.unwritableReport(path).saying("no user was moved") }
            throw AuthError(
                .conflict,
                "Another migration uses the report \(path).",
                remedy: "Name another report, or wait."
            )
        }
    }

    deinit { close(file) }
}

extension AuthError {
    fileprivate static func unwritableReport(_ path: String, _ error: SystemError = .last) -> AuthError {
        AuthError(
            error.saysFull ? .storeFull : .stateDirectoryUnusable,
            "The report \(path) cannot be written: \(error)."
        )
    }

    /// Returns the same error, with its consequence for the run.
    fileprivate func saying(_ consequence: String) -> AuthError {
        AuthError(code, "\(message) Free some space, or name another file; \(consequence).", underlying: underlying)
    }

    static func noReport(_ path: String, _ reason: String) -> AuthError {
        AuthError(
            .recordDamaged,
            "\(path) is not a report of a migration: \(reason). Nothing was changed. Name the file that --report wrote."
        )
    }
}
