internal import DesktopSupport
internal import FoundationEssentials

/// The desktop's portal, which opens the browser for sandboxed and other apps:
/// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.OpenURI.html
struct DesktopPortal: Sendable {
    let bus: BusAddress
    /// True to start the portal if it is not running; otherwise it is used only if it runs.
    let startsIt: Bool

    private static let name = "org.freedesktop.portal.Desktop"
    /// The time limit for the portal to respond to the request.
    private static let callTime = Duration.seconds(10)
    /// The time limit for the user, whom the portal may prompt to choose a browser.
    private static let personTime = Duration.seconds(120)

    /// Opens a web page; returns false if there is no portal or it refuses the call.
    func open(_ url: URL) async throws(BrowserFlowError) -> Bool {
        let address = url.absoluteString
        let cancellation = Cancellation()
        let race = Race<Result<Bool, BrowserFlowError>>()
        startThread(named: "browser-opener") { [self] in
            race.finish(Result { () throws(BrowserFlowError) in try open(address, cancellation) })
        }
        return try await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            cancellation.cancel()
            race.finish(.failure(.cancelled))
        }.get()
    }

    private func open(_ address: String, _ cancellation: Cancellation) throws(BrowserFlowError) -> Bool {
        let deadline = Deadline.after(Self.callTime, cancelledBy: cancellation)
        guard let busAddress = try? bus.resolved(), let connection = try? BusConnection.open(busAddress, by: deadline),
            let owner = owner(connection, by: deadline)
        else { return false }
        // The response may arrive before the call returns. This connection receives nothing else. The portal is
        // addressed by its unique name: GDBus drops signals of a well-known name whose owner it does not know yet.
        let response = Monitor<UInt32?>(nil)
        let rule = SignalRule(sender: owner, interface: "org.freedesktop.portal.Request", member: "Response")
        let subscription = connection.subscribe(to: [rule], by: deadline) { event in
            switch event {
            case .signal(let signal) where signal.arguments.type == "(ua{sv})":
                response.update { $0 = signal.arguments[0].uint32 }
            case .closed:
                response.update { $0 = $0 ?? Self.failed }
            default:
                break
            }
        }
        guard let subscription else { return false }
        defer { subscription.end() }
        let options = Variant.array(of: "{sv}", [])
        let request = Variant.tuple(.string(""), .string(address), options)
        let place = (path: "/org/freedesktop/portal/desktop", interface: "org.freedesktop.portal.OpenURI")
        guard connection.call("OpenURI", request, of: place, at: owner, by: deadline) != nil else { return false }
        let end = Deadline.after(Self.personTime, cancelledBy: cancellation)
        switch response.wait(until: end, { $0 }) {
        case 0: return true
        case 1:
            throw BrowserFlowError(
                .dismissed,
                "The choice of a browser was dismissed.",
                remedy: "Start the sign-in again."
            )
        case nil where cancellation.isCancelled: throw .cancelled
        default:
            throw BrowserFlowError(
                .browserNotOpened,
                "The desktop's portal could not open the browser.",
                remedy: "Install a browser and make it the default, or open the URL manually."
            )
        }
    }

    /// The portal's response code for any failure.
    private static let failed: UInt32 = 2

    /// Returns the unique name of the portal's connection, or nil if there is no portal.
    private func owner(_ connection: BusConnection, by deadline: Deadline) -> String? {
        let bus = "org.freedesktop.DBus"
        let place = (path: "/org/freedesktop/DBus", interface: bus)
        if startsIt {
            let request = Variant.tuple(.string(Self.name), .uint32(0))
            _ = connection.call("StartServiceByName", request, of: place, at: bus, by: deadline)
        }
        let answer = connection.call("GetNameOwner", .tuple(.string(Self.name)), of: place, at: bus, by: deadline)
        return answer.flatMap { $0.type == "(s)" ? $0[0].string : nil }
    }
}
