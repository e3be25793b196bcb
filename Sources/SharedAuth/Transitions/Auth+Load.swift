internal import Dispatch
internal import SecretService
internal import Synchronization

extension Auth {
    /// Begins the first load, beside.
    func beginLoading() {
        queue.async { [weak self] in
            // Whoever comes first loads; a failure is kept as the state.
            if let operation = try? self?.begin() { operation.end() }
        }
    }

    /// The first load: the stored choice of group, the user in that slot, and what an interrupted switch left to do.
    func load(within deadline: Deadline) {
        var choice: GroupChoice?
        do throws(AuthError) {
            let stored = try choiceFile.read()
            choice = stored
            if let group = stored.slot.groupName { _ = try identity.accessGroup(named: group) }
            let (settled, contents) = try finishInterrupted(stored, within: deadline)
            choice = settled
            memory.withLock { $0.choice = settled }
            adopt(contents, in: settled.slot)
        } catch {
            memory.withLock { memory in
                memory.choice = choice
                memory.phase = .failed(error)
            }
        }
        if let feed, let slot = try? currentSlot() { follow(slot, with: feed) }
    }

    /// Has the feed watch a slot from now on, and look at once, or since before it was read: no change must be missed.
    func follow(_ slot: Slot, with feed: PeerFeed, since early: PeerFeed.EarlyWatch? = nil) {
        feed.follow(slot, since: early, tell: { [weak self] in self?.lookAgain() ?? false }, on: queue)
    }
}
