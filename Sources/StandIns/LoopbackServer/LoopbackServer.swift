internal import CGLibSecret
internal import CSoup
internal import DesktopSupport
internal import SharedAuthHTTP
internal import Synchronization

/// An HTTP/1.1 server that is reachable only from this machine, for stand-ins of real servers: in tests, in samples and
/// in development.
///
/// It listens on `127.0.0.1` and `::1`, and refuses requests with any other `Host`. A web page could otherwise reach it
/// through a host name that resolves to this machine. A handler responds to each request and may take its time. It can
/// also simulate a bad network or a broken server; see ``ServedAnswer``.
package final class LoopbackServer: Sendable {
    /// Responds to a request. Its task is cancelled when the client disconnects or the server stops.
    package typealias Handler = @Sendable (ServedRequest) async -> ServedAnswer

    /// The events, each with the number of its request.
    package let events: EventLog<LoopbackEvent>
    /// The port that the server listens on.
    package let port: Int
    private let listener: SoupListener

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - name: The name of the server in each response.
    ///   - port: The port; with 0, the system chooses one.
    ///   - handler: The function that responds to requests.
    /// - Throws: ``LoopbackServerError`` if libsoup 3 is missing or the port is taken.
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

    /// The address of the server, such as `http://127.0.0.1:9099`.
    package var address: String { "http://127.0.0.1:\(port)" }

    deinit { stop() }

    /// Closes all connections and cancels the handlers' tasks. A second call does nothing.
    package func stop() { listener.stop() }
}

/// An event at a ``LoopbackServer``.
package enum LoopbackEvent: Sendable, Hashable {
    /// A request arrived.
    case request(Int, method: String, path: String)
    /// The whole response was sent.
    case answer(Int, status: Int)
    /// The connection was cut, as the response requested.
    case cut(Int)
    /// The client disconnected before the response was sent.
    case gone(Int)
}

/// The error of a server that cannot start.
package struct LoopbackServerError: Error, CustomStringConvertible {
    /// The cause and its remedy.
    package let description: String
}
