internal import FoundationEssentials

/// Where an app's choice of access group survives a restart: one small file in the app's state directory.
///
/// It holds names and revisions, no secret, and is written so that a crash leaves the old or the new text, never a mix.
struct GroupChoiceFile: Sendable {
    let path: String
    private let steps: FileStepInterceptor

    init(
        directory: String,
        appID: String,
        project: String,
        instance: String,
        steps: FileStepInterceptor = .none
    ) {
        path = "\(directory)/\(appID)/\(project)/\(instance).json"
        self.steps = steps
    }

    /// The directory that the XDG Base Directory Specification names for state, ours below it.
    static var defaultDirectory: String {
        BaseDirectory.path("XDG_STATE_HOME", orInHome: ".local/state") + "/sharedauth"
    }

    /// Reads the choice; no file means the own slot.
    func read() throws(AuthError) -> GroupChoice {
        do throws(RecordStoreError) {
            switch try contents() {
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
    ///
    /// - Throws: `stateDirectoryUnusable`; the former choice holds then.
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
        let former = durably ? try? contents() : nil
        try SmallFile.replace(path, with: bytes, durably: durably, steps)
        guard durably else { return }
        do throws(SystemError) {
            try SmallFile.syncNames(in: SmallFile.directory(of: path), steps)
        } catch {
            if let former { putBack(former) }
            throw error
        }
    }

    /// Lets the former choice be read again in place of one of which it is not known whether it is on the disk.
    private func putBack(_ former: SmallFile.Contents) {
        switch former {
        case .bytes(let bytes): try? SmallFile.replace(path, with: bytes, durably: true, steps)
        case .none: try? FileManager.default.removeItem(atPath: path)
        case .unusable: break
        }
    }

    private func contents() throws(RecordStoreError) -> SmallFile.Contents {
        try SmallFile.read(path, path: path, atMost: 1 << 20, followingLinks: true, demandsPrivacy: false)
    }
}
