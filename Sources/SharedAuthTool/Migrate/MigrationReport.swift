internal import CommandLineSupport
internal import FoundationEssentials
internal import Glibc
internal import SharedAuth

/// The file with one line of JSON for each app, which a run adds to.
///
/// Room for the lines of a step is taken before the step begins, so that a full disk stops the run before anything was moved.
final class MigrationReport {
    /// A line that was read back.
    struct Line: Codable {
        var appID: String?
        var uid: String?
        var from: String?
        var to: String?
        var outcome: String
        var replaced: String?
        var wasAtTarget: Bool
    }

    private let path: String
    private let file: Int32
    /// Whether lines can be put over the room that was taken for them.
    private let isFile: Bool
    private var end: off_t

    /// Opens the report, and makes it if it is not there; its own lines come after those that are there.
    init(at path: String) throws(AuthError) {
        self.path = path
        file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
        guard file >= 0 else { throw .unwritableReport(path) }
        // Two runs would write over each other's lines, and over the sessions that they have removed.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw AuthError(.conflict, "Another migration writes the report \(path).", remedy: "Name another report.")
        }
        var status = stat()
        isFile = unsafe fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        end = isFile ? Self.endOfLines(file, status.st_size) : 0
    }

    deinit { Glibc.close(file) }

    /// Where the lines end that an earlier run has written: what it took room for and did not use is blank.
    private static func endOfLines(_ file: Int32, _ size: off_t) -> off_t {
        var end = size
        var byte: UInt8 = 0
        while end > 0 {
            guard unsafe pread(file, &byte, 1, end - 1) == 1, byte == UInt8(ascii: " ") else { break }
            end -= 1
        }
        return end
    }

    /// Takes room for the lines of a step.
    func reserve(_ step: UserMigration.Step) throws(AuthError) {
        guard isFile else { return }
        let room = 2048 + 8 * (step.uid?.utf8.count ?? 0)
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: room * max(1, step.appIDs.count))
        try put(blanks, at: end)
    }

    /// Writes the line of an outcome.
    func write(_ outcome: UserMigration.Outcome, _ migration: UserMigration) throws(AuthError) {
        let object = JSONValue.object([
            "appID": JSONValue(outcome.appID), "uid": JSONValue(outcome.uid), "from": JSONValue(migration.source),
            "to": JSONValue(migration.target), "outcome": .string(outcome.kind.rawValue),
            "error": JSONValue(outcome.error?.text), "replaced": JSONValue(outcome.replacedUID),
            "wasAtTarget": .bool(outcome.wasAtTarget),
        ])
        guard let text = try? object.text else { throw .unwritableReport(path) }
        let bytes = Array("\(text)\n".utf8)
        try put(bytes, at: end)
        end += off_t(bytes.count)
    }

    /// Gives back the room that was not used, and waits until the lines are on the disk.
    func close() throws(AuthError) {
        guard isFile else { return }
        guard ftruncate(file, end) == 0, fsync(file) == 0 else { throw .unwritableReport(path) }
    }

    private func put(_ bytes: [UInt8], at place: off_t) throws(AuthError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let (start, rest) = unsafe (buffer.baseAddress?.advanced(by: written), buffer.count - written)
                return isFile
                    ? unsafe pwrite(file, start, rest, place + off_t(written)) : unsafe Glibc.write(file, start, rest)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unwritableReport(path) }
            written += count
        }
    }

    /// The lines of a report.
    ///
    /// - Throws: `recordDamaged` if it is none.
    static func lines(of path: String) throws(AuthError) -> [Line] {
        guard
            case .bytes(let bytes)? = try? SmallFile.read(
                path,
                path: path,
                atMost: 1 << 28,
                followingLinks: true,
                demandsPrivacy: false
            )
        else { throw .noReport(path, "it cannot be read") }
        var lines: [Line] = []
        for (number, text) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            if text.allSatisfy({ $0 == UInt8(ascii: " ") }) { continue }
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text)),
                UserMigration.Outcome.Kind(rawValue: line.outcome) != nil
            else { throw .noReport(path, "line \(number + 1) is not one of its lines") }
            lines.append(line)
        }
        return lines
    }
}

extension AuthError {
    fileprivate static func unwritableReport(_ path: String) -> AuthError {
        let reason = unsafe String(cString: strerror(errno))
        return AuthError(
            errno == ENOSPC || errno == EDQUOT ? .storeFull : .stateDirectoryUnusable,
            "The report \(path) cannot be written: \(reason). Make room, or name another file; nobody was moved since its last "
                + "line."
        )
    }

    fileprivate static func noReport(_ path: String, _ reason: String) -> AuthError {
        AuthError(
            .recordDamaged,
            "\(path) is no report of a migration: \(reason). Nothing was changed. Name the file that --report wrote."
        )
    }
}
