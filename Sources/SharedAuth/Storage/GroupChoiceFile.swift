internal import FoundationEssentials
internal import Glibc

/// Where an app's choice of access group survives a restart: one small file in the app's state directory.
///
/// It holds names and revisions, no secret, and is written so that a crash leaves the old or the new text, never a mix.
struct GroupChoiceFile: Sendable {
    let path: String

    init(directory: String, appID: String, project: String, instance: String) {
        path = "\(directory)/\(appID)/\(project)/\(instance).json"
    }

    /// The directory that the XDG Base Directory Specification names for state, ours below it.
    static var defaultDirectory: String {
        BaseDirectory.path("XDG_STATE_HOME", orInHome: ".local/state") + "/sharedauth"
    }

    /// Reads the choice; no file means the own slot.
    func read() throws(AuthError) -> GroupChoice {
        do throws(RecordStoreError) {
            switch try SmallFile.read(path, path: path, atMost: 1 << 20, followingLinks: true, demandsPrivacy: false) {
            case .none:
                return GroupChoice()
            case .bytes(let bytes):
                let choice = try? JSONDecoder().decode(GroupChoice.self, from: Data(bytes))
                if let choice, choice.version == 1 { return choice }
            case .unusable:
                break
            }
        } catch {
            throw AuthError(
                .stateDirectoryUnusable,
                "The app's choice of access group cannot be read from \(path). Check the file's permissions.",
                underlying: error
            )
        }
        throw AuthError(
            .stateDirectoryUnusable,
            "The app's choice of access group in \(path) is damaged or of a newer version. "
                + "Choose the group again with useUserAccessGroup, or update this app."
        )
    }

    /// Writes the choice; when it returns, the choice is on the disk, unless that is not needed.
    func write(_ choice: GroupChoice, durably: Bool = true) throws(AuthError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try replace(with: Array(try encoder.encode(choice)), durably: durably)
        } catch {
            throw AuthError(
                .stateDirectoryUnusable,
                "The app's choice of access group cannot be stored at \(path): \(error). "
                    + "Make the directory writable, or set Options.stateDirectory.",
                underlying: error
            )
        }
    }

    private func replace(with bytes: [UInt8], durably: Bool) throws(SystemError) {
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: .min ... .max))"
        var file = Self.create(temporary)
        if file < 0, errno == ENOENT {
            try? FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            file = Self.create(temporary)
        }
        guard file >= 0 else { throw .last }
        let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
        var failure: SystemError? = written == bytes.count && (!durably || fsync(file) == 0) ? nil : .last
        close(file)
        if failure == nil, unsafe rename(temporary, path) != 0 { failure = .last }
        if let failure {
            unsafe unlink(temporary)
            throw failure
        }
    }

    private static func create(_ path: String) -> Int32 {
        unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
}
