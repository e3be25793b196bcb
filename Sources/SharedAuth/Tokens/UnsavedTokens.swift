internal import Synchronization

/// Tokens that an identity provider gave and that could not be saved yet, by slot and user.
///
/// They take the place of the stored ones that they were got with, and of no others: where the slot has different tokens by
/// now, or no such user, they are dropped.
final class UnsavedTokens: Sendable {
    private struct Key: Hashable {
        let slot: Slot
        let id: AccountID
    }

    struct Entry {
        let id: AccountID
        let tokens: UserTokens
        /// What the slot may have in their place, oldest first: what it had when the first of these tokens could not be saved, and what
        /// was got with that since.
        fileprivate(set) var replaced: [UserTokens]

        /// Whether these are to take the place of an account's tokens.
        func replaces(_ account: Account) -> Bool { replaced.contains(account.tokens) }

        /// Puts the tokens in the place of those that they replace.
        ///
        /// - Returns: whether the account had those.
        func write(_ account: inout Account) -> Bool {
            guard replaces(account) else { return false }
            account.tokens = tokens
            return true
        }
    }

    /// Of how many exchanges in a row, none of which could be saved, the used tokens are known.
    private static let longestRow = 8

    private let entries = Mutex<[Key: Entry]>([:])

    /// Keeps tokens until they are saved.
    ///
    /// - Parameter used: those that they were got with, which may be kept themselves.
    func keep(_ tokens: UserTokens, over used: UserTokens, of id: AccountID, in slot: Slot) {
        let key = Key(slot: slot, id: id)
        entries.withLock { entries in
            var replaced = entries[key].flatMap { $0.tokens == used ? $0.replaced : nil } ?? []
            if replaced.count == Self.longestRow { replaced.remove(at: 1) }
            entries[key] = Entry(id: id, tokens: tokens, replaced: replaced + [used])
        }
    }

    /// Takes note that the accounts that a slot does not hold any more were moved to another.
    func moveMissing(from slot: Slot, holding record: UserRecord, to target: Slot) {
        for entry in self.entries(in: slot) where record.account(entry.id) == nil {
            entries.withLock { entries in
                if let entry = entries.removeValue(forKey: Key(slot: slot, id: entry.id)) {
                    entries[Key(slot: target, id: entry.id)] = entry
                }
            }
        }
    }

    /// The tokens of a user that are still to be saved.
    func entry(of id: AccountID, in slot: Slot) -> Entry? {
        entries.withLock { $0[Key(slot: slot, id: id)] }
    }

    /// All tokens that are still to be saved in a slot.
    func entries(in slot: Slot) -> [Entry] {
        entries.withLock { entries in
            entries.isEmpty ? [] : entries.filter { $0.key.slot == slot }.map(\.value)
        }
    }

    /// Takes note that saving an entry has ended, and of the tokens that the slot has of the user since: saved or of no use, the
    /// entry's are kept no longer. Newer ones that were got with them meanwhile stay, to be saved over them.
    func settle(_ entry: Entry, in slot: Slot, found: UserTokens?) {
        let key = Key(slot: slot, id: entry.id)
        entries.withLock { entries in
            guard let present = entries[key] else { return }
            if present.tokens == entry.tokens {
                entries[key] = nil
            } else if present.replaced == entry.replaced, found == entry.tokens {
                entries[key]?.replaced = [entry.tokens]
            }
        }
    }

    /// Forgets the tokens of a user, who was signed out or signed in again.
    func drop(_ id: AccountID, in slot: Slot) {
        entries.withLock { entries in
            if !entries.isEmpty { entries[Key(slot: slot, id: id)] = nil }
        }
    }

    /// What a slot holds, as this process sees it: with the tokens that are still to be saved.
    func overlay(_ contents: SlotContents, in slot: Slot) -> SlotContents {
        let unsaved = entries(in: slot)
        if unsaved.isEmpty { return contents }
        var contents = contents
        contents.record = contents.record.mapAccounts { Self.overlay($0, with: unsaved) }
        return contents
    }

    /// An account that a slot holds or held, as this process sees it.
    func overlay(_ account: Account, in slot: Slot) -> Account { Self.overlay(account, with: entries(in: slot)) }

    private static func overlay(_ account: Account, with unsaved: [Entry]) -> Account {
        guard let entry = unsaved.first(where: { $0.id == account.id }), entry.replaces(account) else {
            return account
        }
        var account = account
        account.tokens = entry.tokens
        return account
    }
}
