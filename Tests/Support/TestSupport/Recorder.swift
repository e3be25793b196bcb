internal import Dispatch
package import SecretService
internal import Synchronization

/// Records events of other threads, and waits for them.
package final class Recorder<Event: Sendable>: Sendable {
    private let recorded = Mutex<[Event]>([])
    private let news = DispatchSemaphore(value: 0)

    /// Makes a recorder without events.
    package init() {}

    /// The recorded events that were not taken, in order.
    package var events: [Event] { recorded.withLock { $0 } }

    /// Records an event.
    package func record(_ event: Event) {
        recorded.withLock { $0.append(event) }
        news.signal()
    }

    /// Takes all recorded events.
    package func takeAll() -> [Event] {
        recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
    }

    /// Returns the first event for which `isWanted` is true, or nil if none arrives within five minutes.
    package func first(where isWanted: (Event) -> Bool) -> Event? {
        let end = DispatchTime.now() + 300
        while true {
            if let event = events.first(where: isWanted) { return event }
            if news.wait(timeout: end) == .timedOut { return events.first(where: isWanted) }
        }
    }

    /// Takes the events up to the first for which `isWanted` is true, or returns nil if none arrives within two
    /// minutes.
    package func take(until isWanted: (Event) -> Bool) -> [Event]? {
        let end = DispatchTime.now() + 120
        while true {
            let found: [Event]? = recorded.withLock { recorded in
                guard let place = recorded.firstIndex(where: isWanted) else { return nil }
                defer { recorded.removeFirst(place + 1) }
                return Array(recorded[...place])
            }
            if let found { return found }
            if news.wait(timeout: end) == .timedOut { return nil }
        }
    }
}

extension CallInterceptor {
    /// Records the name of each method that is about to be called.
    package static func recording(_ calls: Recorder<String>) -> CallInterceptor {
        CallInterceptor { call, _ in
            calls.record(call.member)
            return nil
        }
    }
}

extension CallInterceptor {
    /// Refuses the first request to unlock, in the place of a daemon that would have to prompt the user: the collections of
    /// the tests have no password, so that they can be unlocked on request.
    package static func withPromptToUnlock() -> CallInterceptor {
        let isFirst = Mutex(true)
        return CallInterceptor { call, _ in
            guard call.member == "Unlock" else { return nil }
            let isRefused = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isRefused ? SecretServiceError(code: .locked, message: "The test says so.") : nil
        }
    }
}
