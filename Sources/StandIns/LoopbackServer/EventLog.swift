internal import Synchronization

/// An ordered event log that can wait for future events.
package final class EventLog<Event: Sendable>: Sendable {
    private struct Waiter {
        let isWanted: @Sendable (Event) -> Bool
        let resume: @Sendable (Event?) -> Void
    }

    private struct State {
        var events: [Event] = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All events so far.
    package var all: [Event] { state.withLock { $0.events } }

    /// Appends an event, and resumes the tasks that wait for it.
    package func note(_ event: Event) {
        let served = state.withLock { state in
            state.events.append(event)
            let served = state.waiters.filter { $0.value.isWanted(event) }
            for number in served.keys { state.waiters[number] = nil }
            return served.values
        }
        for waiter in served { waiter.resume(event) }
    }

    /// Returns the first matching event, past or future; nil if the task is cancelled or the time limit is reached.
    ///
    /// - Parameter count: The number of past events to skip.
    package func first(
        after count: Int = 0,
        within limit: Duration = .seconds(120),
        where isWanted: @escaping @Sendable (Event) -> Bool
    ) async -> Event? {
        await withTaskGroup(of: Event?.self) { group in
            group.addTask { await self.next(after: count, where: isWanted) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func next(after count: Int, where isWanted: @escaping @Sendable (Event) -> Bool) async -> Event? {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isKnown, event): (Bool, Event?) = state.withLock { state in
                    if let event = state.events.dropFirst(max(0, count)).first(where: isWanted) { return (true, event) }
                    if Task.isCancelled { return (true, nil) }
                    state.waiters[number] = Waiter(isWanted: isWanted) { continuation.resume(returning: $0) }
                    return (false, nil)
                }
                if isKnown { continuation.resume(returning: event) }
            }
        } onCancel: {
            state.withLock { state in state.waiters.removeValue(forKey: number) }?.resume(nil)
        }
    }
}
