package import DesktopSupport
internal import Synchronization

/// Receives the addresses of an app's own scheme, such as `com.example.app://signed-in`, that a browser leads to.
///
/// The desktop starts a new process for such an address, as the app's desktop file says (`x-scheme-handler/…` and `Exec=… %u`).
/// That process calls ``hand(over:scheme:)``, and the one that waits here gets the address by the session bus. Any program of the
/// same person can send one: believe an address only if it carries the `state` that was sent to the server.
///
/// One process waits for a scheme at a time, from the creation of its listener until ``close()`` or the last reference.
public final class SchemeListener: Sendable {
    /// Yields the addresses that arrive, in order, to one reader; the last 16 are kept for it. Ends with ``close()``,
    /// and when the bus goes.
    public let addresses: AsyncStream<String>

    private let name: String
    /// The connection that it waits on, which no other part of the process shares; nil once it is closed.
    private let waiting: Mutex<(connection: BusConnection, subscription: Subscription)?>
    private let continuation: AsyncStream<String>.Continuation

    /// Waits from now on.
    ///
    /// Throws ``BrowserFlowError/Code/schemeUnavailable`` where another process waits already, or there is no session bus. It takes
    /// 10 seconds at most.
    ///
    /// - Parameter scheme: the app's scheme, in reverse DNS form as RFC 8252 has it.
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
        // Not queued: the second gets an error.
        let request = Variant.tuple(.string(message.name), .uint32(4))
        guard let answer = connection.callBus("RequestName", request, by: deadline) else { throw .noBus }
        guard answer.type == "(u)", answer[0].uint32 == 1 else {
            throw BrowserFlowError(
                .schemeUnavailable,
                "Another process waits for addresses of \(scheme) already.",
                remedy: "Finish the sign-in that it waits for, or end it."
            )
        }
    }

    // The bus takes the name back when it sees the connection go, which is not waited for here.
    deinit { continuation.finish() }

    /// Stops waiting, and ends ``addresses``. Another process can wait afterwards. It takes a second at most, if the bus does not
    /// answer; a second call does nothing.
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

    /// Hands an address over to the process that waits for it; false if none does.
    ///
    /// Throws ``BrowserFlowError/Code/schemeUnavailable`` where there is no session bus, or the address is of another scheme. It
    /// takes 10 seconds at most.
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
            throw BrowserFlowError(.schemeUnavailable, "The address is not one of \(scheme), or is longer than 8 kB.")
        }
        let connection = try SchemeMessage.connection(to: bus, by: deadline)
        guard let answer = connection.callBus("GetNameOwner", .tuple(.string(message.name)), by: deadline),
            answer.type == "(s)"
        else { return false }
        return connection.send(.tuple(.string(address)), to: answer[0].string, message.name, by: deadline)
    }
}

/// The signal by which an address goes from process to process; the scheme names it.
private struct SchemeMessage {
    static let member = "Arrived"
    static let callTime = Duration.seconds(10)
    static let releaseTime = Duration.seconds(1)

    /// The bus name of who waits, and the interface of the signal. Its letters are those of the scheme as it was given: the bus
    /// tells upper case from lower case, and so does Flatpak's filter, which lets an app own the names below its app id.
    let name: String
    /// In lower case, since schemes are the same in either.
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
                "The scheme is not made of letters and digits, dot-separated, a letter first.",
                remedy: "Use the app id in reverse DNS form."
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
        "The session bus, by which addresses of the app's scheme come, does not answer.",
        remedy: "Start it in a desktop session, or use a loopback address."
    )
}

extension BusConnection {
    fileprivate func callBus(_ method: String, _ arguments: Variant, by deadline: Deadline) -> Variant? {
        let place = (path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
        return call(method, arguments, of: place, at: "org.freedesktop.DBus", by: deadline)
    }

    /// Sends a signal to the one connection that owns a name, and waits until the bus has it; false if that failed, or the owner is
    /// gone.
    fileprivate func send(
        _ arguments: Variant,
        to owner: String,
        _ interface: String,
        by deadline: Deadline
    ) -> Bool {
        let isSent = emit(SchemeMessage.member, arguments, to: owner, (path: "/", interface: interface))
        // The bus takes the messages of a connection in order, so that it has the signal when it answers what comes after it.
        return isSent && callBus("GetNameOwner", .tuple(.string(owner)), by: deadline) != nil
    }
}
