internal import SharedAuth
internal import Synchronization

/// The delegate and the event streams of an ``AccessEnabler``.
final class EventDispatcher: Sendable {
    typealias Delegate = any EntitlementDelegate & EntitlementStatus

    private struct State {
        weak var delegate: (any EntitlementDelegate & EntitlementStatus)?
        var sequences: [Int: AsyncStream<EntitlementEvent>.Continuation] = [:]
        var lastSequence = 0
        var isOver = false
    }

    /// The executor that calls the delegate.
    let line: CallLine
    private let state = Mutex(State())

    init(_ line: CallLine) { self.line = line }

    var delegate: Delegate? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    var events: AsyncStream<EntitlementEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: EntitlementEvent.self)
        let number = state.withLock { state -> Int? in
            if state.isOver { return nil }
            state.lastSequence += 1
            state.sequences[state.lastSequence] = continuation
            return state.lastSequence
        }
        guard let number else {
            continuation.finish()
            return events
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.sequences[number] = nil }
        }
        return events
    }

    /// Sends an event to the delegate and to each stream; called in order.
    func tell(_ event: EntitlementEvent) {
        for continuation in state.withLock({ Array($0.sequences.values) }) { continuation.yield(event) }
        line.post { [weak self] in
            if let delegate = self?.delegate { event.tell(delegate) }
        }
    }

    func end() {
        let sequences = state.withLock { state in
            defer { (state.sequences, state.delegate, state.isOver) = ([:], nil, true) }
            return state.sequences.values
        }
        for continuation in sequences { continuation.finish() }
    }
}
