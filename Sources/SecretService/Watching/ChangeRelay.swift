internal import GLibSupport
internal import Synchronization

/// Turns what a connection reports into changes, until it is stopped or the connection closes.
final class ChangeRelay: Sendable {
    private let handler: @Sendable (SecretServiceChange) -> Void
    private let isStopped = Atomic<Bool>(false)

    init(_ handler: @escaping @Sendable (SecretServiceChange) -> Void) {
        self.handler = handler
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
    }

    func receive(_ event: BusEvent) {
        switch event {
        case .closed:
            guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
            handler(.busClosed)
        case .signal(let signal):
            for change in signal.changes where !isStopped.load(ordering: .acquiring) {
                handler(change)
            }
        }
    }
}
