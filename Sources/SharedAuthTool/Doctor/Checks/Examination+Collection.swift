internal import CommandLineSupport
internal import SecretService
internal import SharedAuth

extension Examination {
    /// Whether there is a place for new records, and one that stays.
    mutating func checkCollection() -> SecretCollection? {
        do {
            let collection = try store.home(within: deadline)
            let count = try service.collections().count
            let label = (try? collection.label()).map { $0.isEmpty ? "without a name" : $0 } ?? "without a name"
            if collection.path.hasSuffix("/session") {
                note(
                    .warning(
                        "collection",
                        "The default collection is kept in memory only: whoever signs in is forgotten at logout.",
                        remedy: "Create a keyring in the keyring application and make it the default."
                    )
                )
            } else {
                note(.good("collection", "New records go to the collection \(label), one of \(count)."))
            }
            return collection
        } catch {
            note(
                .bad(
                    "collection",
                    error.message,
                    remedy: Self.remedy(for: error, in: store),
                    status: Self.status(for: error)
                )
            )
            return nil
        }
    }

    /// Whether that collection can be read and written.
    mutating func checkLock(of collection: SecretCollection) -> Bool {
        do {
            guard try collection.isLocked() else {
                note(.good("lock", "That collection is unlocked."))
                return true
            }
            note(
                .bad(
                    "lock",
                    "That collection is locked, so nothing was written to try it.",
                    remedy: "Unlock it in the keyring application, log in with a password, or have the app call "
                        + "auth.unlock().",
                    status: .tryAgain
                )
            )
        } catch {
            note(.bad("lock", error.message, remedy: Self.remedy(for: error), status: Self.status(for: error)))
        }
        return false
    }

    private static func remedy(for error: SecretServiceError, in store: SecretServiceRecordStore) -> String {
        guard error.code == .noSuchCollection, store.collection != .standard else { return remedy(for: error) }
        return "Call sharedauth create-collection in the person's desktop session."
    }
}
