internal import Dispatch
internal import Glibc
internal import Synchronization

/// The two sockets of a connection through a proxy; one thread reads from each.
package final class ProxiedSockets: Sendable {
    package let client: LocalSocket
    package let server: LocalSocket
    /// The number of the two threads that have ended.
    private let ended = Mutex(0)

    package init(client: LocalSocket, server: LocalSocket) { (self.client, self.server) = (client, server) }

    /// Runs both directions. When one returns, the connection ends; when both have, `end` is called, and the sockets are
    /// closed.
    package func run(
        requests: @escaping @Sendable () -> Void,
        answers: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void
    ) {
        for (name, pass) in [("requests", requests), ("answers", answers)] {
            DispatchQueue(label: "proxy.\(name)").async { [self] in
                pass()
                finish(end)
            }
        }
    }

    /// Ends the connection for both sides. Does nothing once the sockets are closed: others may have their numbers then.
    package func cut() {
        ended.withLock { ended in
            guard ended < 2 else { return }
            client.shutDown()
            server.shutDown()
        }
    }

    private func finish(_ end: () -> Void) {
        cut()
        let isLast = ended.withLock { ended in
            ended += 1
            return ended == 2
        }
        guard isLast else { return }
        end()
        close(client.file)
        close(server.file)
    }
}
