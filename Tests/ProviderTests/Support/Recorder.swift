import Dispatch
import Synchronization

/// Collects what happens on other threads, and waits for it.
final class Recorder<Event: Sendable>: Sendable {
    private let recorded = Mutex<[Event]>([])
    private let news = DispatchSemaphore(value: 0)

    var events: [Event] { recorded.withLock { $0 } }

    func record(_ event: Event) {
        recorded.withLock { $0.append(event) }
        news.signal()
    }

    /// Takes everything up to the first event of which `isWanted` says so; nil if none comes within twenty seconds.
    func take(until isWanted: (Event) -> Bool) -> [Event]? {
        let end = DispatchTime.now() + 20
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
