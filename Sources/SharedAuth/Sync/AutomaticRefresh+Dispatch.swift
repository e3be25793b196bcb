internal import Dispatch

extension AutomaticRefresh {
    /// Schedules on a queue; a cancelled timer wakes nothing.
    static func schedule(on queue: DispatchQueue) -> Schedule {
        { delay, work in
            let item = DispatchWorkItem(block: work)
            let (seconds, attoseconds) = delay.components
            queue.asyncAfter(
                deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)),
                execute: item
            )
            return { [item = UncheckedItem(item)] in item.cancel() }
        }
    }
}

/// A work item to cancel.
private struct UncheckedItem: @unchecked Sendable {
    // DispatchWorkItem.cancel may be called from any thread.
    private let item: DispatchWorkItem

    init(_ item: DispatchWorkItem) {
        self.item = item
    }

    func cancel() { item.cancel() }
}
