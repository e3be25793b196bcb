internal import SecretService
internal import Synchronization

/// A desktop may have another provider of secrets than the day before, with which nobody ever signed in. That is not the
/// same as nobody being signed in.
extension Auth {
    /// Reads a slot; that it is empty is believed only of a provider that had its user, or if nobody had.
    ///
    /// Who the provider is, is asked only where a user is missing.
    /// - Throws: `providerChanged`, or an error of the keyring.
    func read(_ slot: Slot, within deadline: Deadline) throws(AuthError) -> SlotContents {
        let contents = try slots.read(slot, within: deadline)
        if contents.revision == nil { try checkProvider(of: slot, within: deadline) }
        return contents
    }

    /// Throws `providerChanged` when the user of a slot is kept by a program that is not the present provider.
    func checkProvider(of slot: Slot, within deadline: Deadline) throws(AuthError) {
        let keepers = providerNotes[slot]
        if keepers.isEmpty { return }
        let provider: String?
        do throws(RecordStoreError) {
            provider = try slots.store.provider(within: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        guard let present = provider, !keepers.contains(present) else { return }
        let keeper = keepers.joined(separator: " or ")
        throw AuthError(
            .providerChanged,
            "\(slot.description.capitalizedFirst): The user who was signed in is kept by \(keeper), but now \(present) "
                + "provides the secrets, and has nobody there. Start \(keeper) in its place again, or sign in anew."
        )
    }

    /// Notes who keeps the user of the slot in use, at the end of an operation that has found or changed that: the provider
    /// there was before it read anything, as another may have taken its place since.
    func noteProvider(_ before: PeerFeed.Provider?, within deadline: Deadline) {
        let (slot, hasUser, due) = memory.withLock { memory in
            defer { memory.providerNote = nil }
            let isKnown = if case .known = memory.phase { true } else { false }
            return (isKnown ? memory.choice?.slot : nil, memory.user != nil, memory.providerNote)
        }
        guard let slot, let due else { return }
        if !hasUser { return providerNotes.clear(slot) }
        // A process that hears nothing asks once: it is a short one.
        if feed == nil, providerNotes.hasNoted(slot) { return }
        if due == .ifNone, !providerNotes[slot].isEmpty { return }
        if let provider = before?.name ?? askProvider(since: before, within: deadline) {
            providerNotes.add(provider, for: slot)
        }
    }

    /// Has the feed know the provider, before there is a user to be kept: once, and again after another may have come.
    func learnProvider(within deadline: Deadline) {
        guard let feed, feed.wantsProvider else { return }
        _ = askProvider(since: feed.provider, within: deadline)
    }

    /// The program that provides the secrets; nil if another may have taken its place since `before`.
    private func askProvider(since before: PeerFeed.Provider?, within deadline: Deadline) -> String? {
        let provider = try? slots.store.provider(within: deadline)
        guard let feed, let before else { return provider }
        feed.remember(provider, since: before.generation)
        return feed.provider.generation == before.generation ? provider : nil
    }
}
