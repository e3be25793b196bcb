internal import CLibsecret
internal import CSoup
internal import DesktopSupport
internal import SharedAuthHTTP
internal import Synchronization

/// An HTTP/1.1 server on this machine alone, for programs that stand in for a real one: in tests, in samples, at a developer's desk.
///
/// It listens at `127.0.0.1` and `::1`, and refuses requests for any other host, which a page in a browser could cause by a name that
/// leads here. Each request is answered by a function that may take its time; what a bad network or a broken server does is an
/// answer, too: see ``ServedAnswer``.
package final class LoopbackServer: Sendable {
    /// Answers a request; its task is cancelled when the other side goes or the server stops.
    package typealias Handler = @Sendable (ServedRequest) async -> ServedAnswer

    /// The events, by the number of the request.
    package let events: EventLog<LoopbackEvent>
    /// The port that it listens at.
    package let port: Int
    private let listener: SoupListener

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - name: its name in each answer.
    ///   - port: 0 has the system choose one.
    /// - Throws: ``LoopbackServerError`` if libsoup 3 is missing, or the port is taken.
    package init(
        named name: String,
        port: Int = 0,
        _ handler: @escaping Handler
    ) throws(LoopbackServerError) {
        let events = EventLog<LoopbackEvent>()
        let listener = SoupListener(try SoupServerLibrary.load(), handler, events)
        self.port = try listener.listen(named: name, at: port)
        self.events = events
        self.listener = listener
    }

    /// Its address, such as `http://127.0.0.1:9099`.
    package var address: String { "http://127.0.0.1:\(port)" }

    deinit { stop() }

    /// Ends all connections, and the tasks that answer; a second call does nothing.
    package func stop() { listener.stop() }
}

/// An event at a ``LoopbackServer``.
package enum LoopbackEvent: Sendable, Hashable {
    /// A request came.
    case request(Int, method: String, path: String)
    /// It was answered in full.
    case answer(Int, status: Int)
    /// Its connection was cut, as the answer wanted.
    case cut(Int)
    /// The other side had gone before its answer was sent.
    case gone(Int)
}

/// Why a server did not start.
package struct LoopbackServerError: Error, CustomStringConvertible {
    /// The fault and its remedy.
    package let description: String
}
