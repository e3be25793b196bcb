internal import CommandLineSupport
internal import SecretService
internal import SharedAuth

extension Examination {
    /// Checks that a message bus answers.
    mutating func checkBus() -> Bool {
        do {
            _ = try service.watch { _ in }
            note(.good("bus", "The session bus answers."))
            return true
        } catch {
            note(.bad("bus", Self.message(of: error), remedy: Self.remedy(for: error), status: Self.status(for: error)))
            return false
        }
    }

    /// Identifies the program that keeps the secrets.
    mutating func checkDaemon() -> KeyringDaemon? {
        do {
            let daemon = try service.daemon()
            let process = daemon.processID.map { " (process \($0))" } ?? ""
            if let name = daemon.programName {
                note(.good("provider", "\(name)\(process) keeps the secrets."))
            } else if Sandbox.current != nil {
                note(.good("provider", "A program outside of the sandbox keeps the secrets."))
            } else {
                note(
                    .warning(
                        "provider",
                        "It is not known which program\(process) keeps the secrets.",
                        remedy: "Find out which program owns the bus name org.freedesktop.secrets: it gets all secrets."
                    )
                )
            }
            return daemon
        } catch {
            note(
                .bad(
                    "provider",
                    Self.message(of: error),
                    remedy: Self.remedy(for: error),
                    status: Self.status(for: error)
                )
            )
            return nil
        }
    }

    /// Warns if the desktop has changed its keyring since the app stored its user. Adds no line if this cannot be
    /// determined, as while the keyring is locked.
    mutating func checkChange(of app: AppInspection, to daemon: KeyringDaemon) {
        guard let former = try? app.formerDaemons(besides: daemon, by: deadline), !former.isEmpty else { return }
        let keeper = former.joined(separator: " or ")
        let present = daemon.kind.name ?? daemon.programName ?? "the present keyring daemon"
        note(
            .warning(
                "change",
                "The user who was signed in is kept by \(keeper), not by \(present).",
                remedy: "Start \(keeper) in its place again, or sign in again."
            )
        )
    }

    /// Checks that written data survives a crash of the keyring daemon.
    mutating func checkDurability(of daemon: KeyringDaemon) {
        let name = daemon.programName ?? "the keyring"
        switch daemon.isDurable {
        case true?:
            note(.good("durability", "\(name) writes changes to disk before it acknowledges them."))
        case false?:
            note(
                .warning(
                    "durability",
                    "\(name) acknowledges changes before it writes them to disk; a crash loses the last seconds.",
                    remedy: "Nothing needs to be done; sign in again after such a crash."
                )
            )
        case nil:
            note(
                .warning(
                    "durability",
                    "It is not known whether \(name) writes changes to disk before it acknowledges them.",
                    remedy: "Nothing needs to be done; be ready to sign in again after a crash."
                )
            )
        }
    }

    /// Checks that there is a collection for new records, and that it is permanent.
    mutating func checkCollection() -> SecretCollection? {
        do {
            let collection = try store.home(by: deadline)
            let count = try service.collections().count
            let label = (try? collection.label()).map { $0.isEmpty ? "without a name" : $0 } ?? "without a name"
            if collection.path.hasSuffix("/session") {
                note(
                    .warning(
                        "collection",
                        "The default collection is kept in memory only: sign-ins are forgotten at logout.",
                        remedy: "Create a keyring in the keyring application and make it the default."
                    )
                )
            } else {
                note(.good("collection", "New records go to the collection \(label), one of \(count)."))
            }
            noteUnloadedFiles()
            return collection
        } catch {
            note(
                .bad(
                    "collection",
                    Self.message(of: error),
                    remedy: Self.remedy(for: error, in: store),
                    status: Self.status(for: error)
                )
            )
            return nil
        }
    }

    /// Warns of files of collections that the daemon has not loaded.
    private mutating func noteUnloadedFiles() {
        guard let files = try? service.collectionFiles(by: deadline) else { return }
        for name in files.unloaded {
            note(
                .warning(
                    "collection",
                    "The keyring daemon has not loaded \(files.directory)/\(name).",
                    remedy:
                        "Restart the daemon; if its log says that it cannot read the file, repair the file or restore "
                        + "a copy."
                )
            )
        }
    }

    /// Checks that the collection can be read and written.
    mutating func checkLock(of collection: SecretCollection) -> Bool {
        do {
            guard try store.staysLocked(collection, by: deadline) else {
                note(.good("lock", "That collection is unlocked."))
                return true
            }
            note(
                .bad(
                    "lock",
                    "That collection is locked, so no test record was written.",
                    remedy: "Run sharedauth unlock, unlock it in the keyring application, or log in with a password.",
                    status: .tryAgain
                )
            )
        } catch {
            note(
                .bad("lock", Self.message(of: error), remedy: Self.remedy(for: error), status: Self.status(for: error))
            )
        }
        return false
    }

    private static func remedy(for error: SecretServiceError, in store: SecretServiceRecordStore) -> String {
        guard error.code == .noSuchCollection, store.collection != .standard else { return remedy(for: error) }
        return "Run sharedauth create-collection in the user's desktop session."
    }
}
