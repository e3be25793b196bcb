internal import CommandLineSupport
internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import SharedAuth

/// The encrypted sessions that a migration removed, in a file next to its report.
///
/// The first line names the format. Each session is a line, sealed with AES-256-GCM and a key from the users' store:
/// the file alone reveals nothing. A session is on disk before it is removed from the store. A restored session is
/// recorded by another line, so that it is not restored again after its user has signed out.
final class UndoFile {
    /// A session in the file.
    struct Kept {
        let session: ReplacedSession
        /// The number of its line.
        fileprivate let number: Int
        /// Indicates whether it was restored.
        fileprivate(set) var isRestored = false
    }

    /// The content of a line that records a restored session.
    private struct Mark: Codable {
        /// The line number of the restored session.
        let restored: Int
    }

    private static let head = Array("SharedAuthUndo1".utf8)
    private static let newline = UInt8(ascii: "\n")

    private let path: String
    private let project: String
    private let key: SymmetricKey
    private var count: Int
    private var end: off_t
    private let file: Int32

    /// Opens the undo file of a report for appending. Creates the file and the key if needed.
    ///
    /// - Throws: `recordDamaged` if the file belongs to another user, or is broken.
    init(nextTo report: String, project: String, store: any RecordStore) throws(AuthError) {
        path = Self.path(nextTo: report)
        self.project = project
        key = try UndoKey(project, store).made()
        let bytes = try Self.bytes(of: path) ?? []
        let whole = try Self.wholeLines(of: bytes, path)
        count = whole.isEmpty ? 0 : try Self.lines(in: whole, path, project, key).count
        file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritableUndoFile(path) }
        // An incomplete last line is from a run that died during the write, before it removed anything.
        end = off_t(whole.count)
        guard fchmod(file, 0o600) == 0, ftruncate(file, end) == 0 else { throw .unwritableUndoFile(path) }
        if whole.isEmpty { try append(Self.head + [Self.newline]) }
        do throws(SystemError) {
            try SmallFile.syncNames(in: SmallFile.directory(of: path), .none)
        } catch {
            throw .unwritableUndoFile(path, error)
        }
    }

    deinit { close(file) }

    /// Adds a session. It is on disk when this method returns.
    func add(_ session: ReplacedSession) throws(AuthError) { try seal(session) }

    /// Records that a session was restored.
    func noteRestored(_ kept: Kept) throws(AuthError) { try seal(Mark(restored: kept.number)) }

    private func seal(_ content: some Encodable) throws(AuthError) {
        let authenticated = Self.authenticated(project, count)
        guard let plain = try? StableJSON.encode(content),
            let box = try? AES.GCM.seal(plain, using: key, authenticating: authenticated).combined
        else { throw .unwritableUndoFile(path) }
        try append(Array(box.base64EncodedString().utf8) + [Self.newline])
        count += 1
    }

    private func append(_ bytes: [UInt8]) throws(AuthError) {
        do throws(SystemError) {
            try SmallFile.put(bytes, at: end, in: file)
            guard fsync(file) == 0 else { throw .last }
        } catch {
            ftruncate(file, end)
            throw .unwritableUndoFile(path, error)
        }
        end += off_t(bytes.count)
    }

    // MARK: Reading

    static func path(nextTo report: String) -> String { "\(report).undo" }

    /// Returns the sessions in the undo file of a report; empty if there is no file.
    ///
    /// - Throws: `recordDamaged` if the file belongs to another user, or is broken.
    static func sessions(
        nextTo report: String,
        project: String,
        store: any RecordStore
    ) throws(AuthError) -> [Kept] {
        let path = path(nextTo: report)
        guard let bytes = try bytes(of: path) else { return [] }
        let whole = try wholeLines(of: bytes, path)
        // A run died before it stored any session.
        if whole.isEmpty { return [] }
        guard let key = try UndoKey(project, store).present() else {
            throw .foreignUndoFile(path, "its key is not in this keyring")
        }
        var sessions: [Kept] = []
        for (number, plain) in try lines(in: whole, path, project, key).enumerated() {
            if let mark = try? UntrustedJSON.decode(Mark.self, from: plain) {
                for place in sessions.indices where sessions[place].number == mark.restored {
                    sessions[place].isRestored = true
                }
            } else if let session = try? UntrustedJSON.decode(ReplacedSession.self, from: plain),
                session.project == project
            {
                sessions.append(Kept(session: session, number: number))
            } else {
                throw .foreignUndoFile(path, "line \(number + 2) is not a session")
            }
        }
        return sessions
    }

    /// Returns the complete lines of a file. An incomplete last line is from a run that died during the write.
    ///
    /// - Throws: `recordDamaged` if there is neither a complete line nor the beginning of the first one.
    private static func wholeLines(of bytes: [UInt8], _ path: String) throws(AuthError) -> ArraySlice<UInt8> {
        if let end = bytes.lastIndex(of: newline) { return bytes[...end] }
        guard head.starts(with: bytes) else {
            throw .foreignUndoFile(path, "its first line is not that of an undo file")
        }
        return []
    }

    /// Returns the decrypted lines.
    private static func lines(
        in bytes: ArraySlice<UInt8>,
        _ path: String,
        _ project: String,
        _ key: SymmetricKey
    ) throws(AuthError) -> [Data] {
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: true)
        guard let first = lines.first, first.elementsEqual(head) else {
            throw .foreignUndoFile(path, "its first line is not that of an undo file")
        }
        var plains: [Data] = []
        for (number, line) in lines.dropFirst().enumerated() {
            guard let sealed = Data(base64Encoded: Data(line)), let box = try? AES.GCM.SealedBox(combined: sealed),
                let plain = try? AES.GCM.open(box, using: key, authenticating: authenticated(project, number))
            else { throw .foreignUndoFile(path, "line \(number + 2) cannot be opened with the key in this keyring") }
            plains.append(plain)
        }
        return plains
    }

    /// Returns the authenticated data of a line: the format, the project, and the position in the file.
    private static func authenticated(_ project: String, _ number: Int) -> Data {
        Data("SharedAuthUndo1\n\(project)\n\(number)".utf8)
    }

    private static func bytes(of path: String) throws(AuthError) -> [UInt8]? {
        do throws(RecordStoreError) {
            let contents = try SmallFile.read(
                path,
                path: path,
                atMost: 1 << 28,
                followingLinks: false,
                demandsPrivacy: true
            )
            switch contents {
            case .none: return nil
            case .bytes(let bytes): return bytes
            case .unusable(let reason): throw RecordStoreError(.damaged, "\(path): \(reason).")
            }
        } catch {
            throw .foreignUndoFile(path, error.message)
        }
    }
}

/// The key of a project's undo files, which is a separate record.
private struct UndoKey {
    private static let timeout = Duration.seconds(5)
    private let key: RecordKey
    private let store: any RecordStore

    init(_ project: String, _ store: any RecordStore) {
        key = RecordKey(scope: .project, project: project, instance: AuthApp.defaultName, kind: "undo-key")
        self.store = store
    }

    /// Returns the key. Creates it if needed.
    func made() throws(AuthError) -> SymmetricKey {
        do throws(RecordStoreError) {
            let stored = try store.update(key, by: .after(Self.timeout)) { found in
                guard case .none = found else { return .keep }
                return .write(unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) })
            }
            if let key = try key(in: stored) { return key }
            throw Self.damage
        } catch {
            throw AuthError(error)
        }
    }

    /// Returns the key; nil if it does not exist.
    func present() throws(AuthError) -> SymmetricKey? {
        do throws(RecordStoreError) {
            return try key(in: try store.read(key, by: .after(Self.timeout)))
        } catch {
            throw AuthError(error)
        }
    }

    private func key(in stored: StoredRecord) throws(RecordStoreError) -> SymmetricKey? {
        switch stored {
        case .none: return nil
        case .whole(let record) where record.payload.count == 32: return SymmetricKey(data: record.payload)
        case .whole, .empty, .damaged, .newer: throw Self.damage
        }
    }

    private static var damage: RecordStoreError {
        RecordStoreError(
            .damaged,
            "The key of the undo files is damaged.",
            remedy: "Restore the keyring from a backup: without this key no undo file can be read."
        )
    }
}

extension AuthError {
    fileprivate static func unwritableUndoFile(_ path: String, _ error: SystemError = .last) -> AuthError {
        AuthError(
            error.saysFull ? .storeFull : .stateDirectoryUnusable,
            "The undo file \(path) cannot be written: \(error). No session was removed. Free some space, or name another report."
        )
    }

    fileprivate static func foreignUndoFile(_ path: String, _ reason: String) -> AuthError {
        AuthError(
            .recordDamaged,
            "\(path) is not an undo file of this user and project, or it is broken: \(reason). Nothing was changed. "
                + "Name the report of one of your migrations."
        )
    }
}
