internal import Synchronization

/// Tokens from an identity provider that could not be saved yet, by slot and user.
///
/// They replace only the stored tokens that they were exchanged for. If the slot has other tokens by now, or no longer
/// has the user, they are dropped.
final class UnsavedTokens: Sendable {
    private struct Key: Hashable {
        let slot: Slot
        let id: AccountID
    }

    struct Entry {
        let id: AccountID
        let tokens: UserTokens
        /// The tokens that the slot may hold instead, oldest first: those that it held when the first of these tokens
        /// could not be saved, and all that were exchanged for them since.
        fileprivate(set) var replaced: [UserTokens]

        /// Returns whether these tokens are to replace those of an account.
        func replaces(_ account: Account) -> Bool {
            replaced.contains { account.tokens.isRest(of: $0) }
        }

        /// Replaces the tokens of an account.
        ///
        /// - Returns: the room that the write may take; nil if the account does not have the tokens that these replace.
        func write(_ account: inout Account) -> RecordRoom? {
            guard replaces(account) else { return nil }
            account.tokens = tokens
            return .exchange(of: id)
        }
    }

    /// The maximum number of consecutive unsaved exchanges whose used tokens are remembered.
    private static let longestRow = 8

    private let entries = Mutex<[Key: Entry]>([:])

    /// Keeps tokens until they are saved.
    ///
    /// - Parameter used: the tokens that they were exchanged for, which may be unsaved themselves.
    func keep(_ tokens: UserTokens, over used: UserTokens, of id: AccountID, in slot: Slot) {
        let key = Key(slot: slot, id: id)
        entries.withLock { entries in
            var replaced = entries[key].flatMap { $0.tokens == used ? $0.replaced : nil } ?? []
            if replaced.count == Self.longestRow { replaced.remove(at: 1) }
            entries[key] = Entry(id: id, tokens: tokens, replaced: replaced + [used])
        }
    }

    /// Moves the tokens of accounts that are no longer in a slot to the slot that the accounts were moved to.
    func moveMissing(from slot: Slot, holding record: UserRecord, to target: Slot) {
        for entry in self.entries(in: slot) where record.account(entry.id) == nil {
            entries.withLock { entries in
                if let entry = entries.removeValue(forKey: Key(slot: slot, id: entry.id)) {
                    entries[Key(slot: target, id: entry.id)] = entry
                }
            }
        }
    }

    /// Returns a user's tokens that are still to be saved.
    func entry(of id: AccountID, in slot: Slot) -> Entry? {
        entries.withLock { $0[Key(slot: slot, id: id)] }
    }

    /// Returns whether a refresh token is still to be saved.
    func contains(_ refreshToken: String?) -> Bool {
        entries.withLock { $0.values.contains { $0.tokens.refreshToken == refreshToken } }
    }

    /// Returns all tokens that are still to be saved in a slot.
    func entries(in slot: Slot) -> [Entry] {
        entries.withLock { entries in
            entries.isEmpty ? [] : entries.filter { $0.key.slot == slot }.map(\.value)
        }
    }

    /// Notes that an attempt to save an entry has ended, and which tokens the slot has of the user since. The entry's
    /// tokens are saved or obsolete by then, and are dropped. Newer tokens that were exchanged for them in the meantime
    /// stay, to be saved over them.
    func settle(_ entry: Entry, in slot: Slot, found: UserTokens?) {
        let key = Key(slot: slot, id: entry.id)
        entries.withLock { entries in
            guard let present = entries[key] else { return }
            if present.tokens == entry.tokens {
                entries[key] = nil
            } else if present.replaced == entry.replaced, let found, found.isRest(of: entry.tokens) {
                entries[key]?.replaced = [found]
            }
        }
    }

    /// Drops the tokens of a user who was signed out or signed in again.
    func drop(_ id: AccountID, in slot: Slot) {
        entries.withLock { entries in
            if !entries.isEmpty { entries[Key(slot: slot, id: id)] = nil }
        }
    }

    /// Returns the contents of a slot as this process sees them: with the tokens that are still to be saved.
    func overlay(_ contents: SlotContents, in slot: Slot) -> SlotContents {
        let unsaved = entries(in: slot)
        if unsaved.isEmpty { return contents }
        var contents = contents
        contents.record = contents.record.mapAccounts { Self.overlay($0, with: unsaved) }
        return contents
    }

    /// Returns an account that a slot holds or held, as this process sees it.
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
