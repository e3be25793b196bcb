package import DesktopSupport
internal import Synchronization

/// Receives URLs of an app's own scheme, such as `com.example.app://signed-in`, that a browser opens.
///
/// The desktop starts a new process for such a URL, as the app's desktop file says (`x-scheme-handler/…` and `Exec=…
/// %u`). That process calls ``hand(over:scheme:)``, and the waiting process receives the URL over the session bus. Any
/// program of the same user can send one: trust a URL only if it has the `state` that was sent to the server.
///
/// One process at a time waits for a scheme, from the creation of its listener until ``close()`` or the last reference.
public final class SchemeListener: Sendable {
    /// The URLs that arrive, in order, for one reader; the last 16 are buffered. Ends with ``close()``, and when the
    /// connection to the bus is lost.
    public let addresses: AsyncStream<String>

    private let name: String
    /// The listener's own bus connection; nil after it is closed.
    private let waiting: Mutex<(connection: BusConnection, subscription: Subscription)?>
    private let continuation: AsyncStream<String>.Continuation

    /// Starts waiting. Blocks for at most 10 seconds.
    ///
    /// - Parameter scheme: The app's scheme, in reverse DNS form as in RFC 8252.
    /// - Throws: ``BrowserFlowError/Code/schemeUnavailable`` if another process already waits, if there is no session
    ///   bus, or if the scheme is malformed.
    public convenience init(scheme: String) throws(BrowserFlowError) { try self.init(scheme: scheme, bus: .session) }

    package init(scheme: String, bus: BusAddress) throws(BrowserFlowError) {
        let deadline = Deadline.after(SchemeMessage.callTime)
        let message = try SchemeMessage(scheme)
        name = message.name
        let connection = try SchemeMessage.connection(to: bus, by: deadline)
        let (addresses, continuation) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingNewest(16)
        )
        (self.addresses, self.continuation) = (addresses, continuation)
        let rule = SignalRule(sender: nil, interface: message.name, member: SchemeMessage.member)
        let subscription = connection.subscribe(to: [rule], by: deadline) { event in
            switch event {
            case .signal(let signal) where signal.arguments.type == "(s)":
                let address = signal.arguments[0].string
                if message.isOfScheme(address) { continuation.yield(address) }
            case .closed: continuation.finish()
            default: break
            }
        }
        guard let subscription else { throw .noBus }
        waiting = Mutex((connection, subscription))
        // The flag 4 means not to queue: a second listener gets an error.
        let request = Variant.tuple(.string(message.name), .uint32(4))
        guard let answer = connection.callBus("RequestName", request, by: deadline) else { throw .noBus }
        guard answer.type == "(u)", answer[0].uint32 == 1 else {
            throw BrowserFlowError(
                .schemeUnavailable,
                "Another process already waits for URLs of \(scheme).",
                remedy: "Finish or cancel the sign-in of that process."
            )
        }
    }

    // The bus releases the name when the connection closes; this does not wait for that.
    deinit { continuation.finish() }

    /// Stops waiting, and ends ``addresses``. Another process can wait afterwards. Blocks for at most one second; a
    /// second call does nothing.
    public func close() {
        let ended = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        guard let ended else { return }
        ended.subscription.end()
        continuation.finish()
        _ = ended.connection.callBus("ReleaseName", .tuple(.string(name)), by: .after(SchemeMessage.releaseTime))
    }

    /// Sends a URL to the process that waits for it. Returns false if no process waits. Blocks for at most 10 seconds.
    ///
    /// - Throws: ``BrowserFlowError/Code/schemeUnavailable`` if there is no session bus, if the scheme is malformed, or
    ///   if the URL has another scheme or more than 8 kB.
    public static func hand(over address: String, scheme: String) throws(BrowserFlowError) -> Bool {
        try hand(over: address, scheme: scheme, bus: .session)
    }

    package static func hand(
        over address: String,
        scheme: String,
        bus: BusAddress
    ) throws(BrowserFlowError) -> Bool {
        let deadline = Deadline.after(SchemeMessage.callTime)
        let message = try SchemeMessage(scheme)
        guard message.isOfScheme(address) else {
            throw BrowserFlowError(.schemeUnavailable, "The URL's scheme is not \(scheme), or it is longer than 8 kB.")
        }
        let connection = try SchemeMessage.connection(to: bus, by: deadline)
        guard let answer = connection.callBus("GetNameOwner", .tuple(.string(message.name)), by: deadline),
            answer.type == "(s)"
        else { return false }
        return connection.send(.tuple(.string(address)), to: answer[0].string, message.name, by: deadline)
    }
}

/// The signal that carries a URL from one process to another; its name contains the scheme.
private struct SchemeMessage {
    static let member = "Arrived"
    static let callTime = Duration.seconds(10)
    static let releaseTime = Duration.seconds(1)

    /// The bus name of the waiting process, and the interface of the signal. It keeps the case of the scheme: bus names
    /// are case-sensitive, and so is Flatpak's filter, which lets an app own the names below its app ID.
    let name: String
    /// The scheme in lower case; schemes are case-insensitive.
    private let scheme: String

    init(_ scheme: String) throws(BrowserFlowError) {
        let parts = scheme.split(separator: ".", omittingEmptySubsequences: false)
        let isGood = parts.allSatisfy { part in
            part.first.map { ("a"..."z").contains($0) || ("A"..."Z").contains($0) } == true
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                    default: false
                    }
                }
        }
        guard isGood, scheme.utf8.count <= 200 else {
            throw BrowserFlowError(
                .schemeUnavailable,
                "The scheme must be dot-separated parts of letters and digits, each starting with a letter.",
                remedy: "Use the app ID in reverse DNS form."
            )
        }
        self.scheme = scheme.lowercased()
        name = "\(scheme).BrowserFlow"
    }

    func isOfScheme(_ address: String) -> Bool {
        address.utf8.count <= 8192 && address.lowercased().hasPrefix("\(scheme):")
    }

    static func connection(to bus: BusAddress, by deadline: Deadline) throws(BrowserFlowError) -> BusConnection {
        guard let address = try? bus.resolved(), let connection = try? BusConnection.open(address, by: deadline) else {
            throw .noBus
        }
        return connection
    }
}

extension BrowserFlowError {
    fileprivate static let noBus = BrowserFlowError(
        .schemeUnavailable,
        "The session bus, which carries URLs of the app's scheme, does not respond.",
        remedy: "Start the app in a desktop session, or use a loopback redirect."
    )
}

extension BusConnection {
    fileprivate func callBus(_ method: String, _ arguments: Variant, by deadline: Deadline) -> Variant? {
        let place = (path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
        return call(method, arguments, of: place, at: "org.freedesktop.DBus", by: deadline)
    }

    /// Sends a signal to the connection that owns a name, and waits until the bus has received it. Returns false if
    /// that failed or the owner is gone.
    fileprivate func send(
        _ arguments: Variant,
        to owner: String,
        _ interface: String,
        by deadline: Deadline
    ) -> Bool {
        let isSent = emit(SchemeMessage.member, arguments, to: owner, (path: "/", interface: interface))
        // The bus handles a connection's messages in order: when it replies to the next call, it has received the
        // signal.
        return isSent && callBus("GetNameOwner", .tuple(.string(owner)), by: deadline) != nil
    }
}
