internal import GLibSupport
internal import Synchronization

/// A bus name that this process owns; nobody else on the bus can own it meanwhile.
///
/// It is given up by ``release()``, when nobody holds this object any more, or when the process or the connection ends.
public final class OwnedBusName: Sendable {
    /// The name.
    public let name: String

    private let connection: BusConnection
    private let ticket: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ name: String, on connection: BusConnection, ticket: UInt64) {
        self.name = name
        self.connection = connection
        self.ticket = ticket
    }

    deinit {
        release()
    }

    /// Whether the name is still ours: not released, and the bus has not closed the connection.
    public var isHeld: Bool {
        !isReleased.load(ordering: .acquiring) && !connection.isClosed
    }

    /// Gives the name up, for the next in the queue to own; does nothing the second time. Does not wait and cannot fail.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        connection.post(.bus("ReleaseName", .tuple(.string(name)), answer: "(u)"))
        connection.nameQueue.leave(name, ticket)
    }
}
