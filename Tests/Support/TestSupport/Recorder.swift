internal import Dispatch
internal import Synchronization

/// Collects what happens on other threads, and waits for it.
package final class Recorder<Event: Sendable>: Sendable {
    private let recorded = Mutex<[Event]>([])
    private let news = DispatchSemaphore(value: 0)

    /// Makes one that has recorded nothing.
    package init() {}

    /// The events in order, without those that were taken.
    package var events: [Event] { recorded.withLock { $0 } }

    /// Notes an event.
    package func record(_ event: Event) {
        recorded.withLock { $0.append(event) }
        news.signal()
    }

    /// Takes all that has happened.
    package func takeAll() -> [Event] {
        recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
    }

    /// The first event of which `isWanted` says so; nil if none comes within five minutes.
    package func first(where isWanted: (Event) -> Bool) -> Event? {
        let end = DispatchTime.now() + 300
        while true {
            if let event = events.first(where: isWanted) { return event }
            if news.wait(timeout: end) == .timedOut { return events.first(where: isWanted) }
        }
    }

    /// Takes everything up to the first event of which `isWanted` says so; nil if none comes within two minutes.
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
