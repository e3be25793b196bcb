internal import CLibsecret
internal import FoundationEssentials
internal import GLibSupport
internal import SecretService

/// The desktop's portal, which opens the browser for apps in sandboxes and outside:
/// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.OpenURI.html
struct DesktopPortal: Sendable {
    let bus: BusAddress
    /// Whether it is started if it does not run; else it is used only where it runs.
    let startsIt: Bool

    private static let name = "org.freedesktop.portal.Desktop"
    /// The time for the portal to begin.
    private static let callTime = Duration.seconds(10)
    /// The time for the person, whom the portal may ask which browser it shall be.
    private static let personTime = Duration.seconds(120)

    /// Opens a web address; false if there is no portal.
    func open(_ url: URL) async throws(BrowserFlowError) -> Bool {
        let address = url.absoluteString
        let cancellation = Cancellation()
        let race = FirstResult<Result<Bool, BrowserFlowError>>()
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
        guard let busAddress = try? bus.resolved(), let connection = try? BusConnection.open(busAddress, by: deadline)
        else { return false }
        // The answer may come before the call returns. Nothing else comes by this connection.
        let response = Monitor<UInt32?>(nil)
        let rule = SignalRule(sender: Self.name, interface: "org.freedesktop.portal.Request", member: "Response")
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
        guard try call(connection, address, deadline) else { return false }
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
                remedy: "Install a browser and make it the default, or open the address by hand."
            )
        }
    }

    /// The portal's word for any failure.
    private static let failed: UInt32 = 2

    /// Makes the request; false if there is no portal, or it cannot open addresses.
    private func call(
        _ connection: BusConnection,
        _ address: String,
        _ deadline: Deadline
    ) throws(BrowserFlowError) -> Bool {
        let options = Variant.array(of: "{sv}", [])
        let arguments = Variant.tuple(.string(""), .string(address), options)
        var error: UnsafeMutablePointer<GError>?
        let answer = unsafe connection.withUnsafePointer { connection in
            unsafe arguments.withUnsafePointer { arguments in
                unsafe g_dbus_connection_call_sync(
                    connection,
                    Self.name,
                    "/org/freedesktop/portal/desktop",
                    "org.freedesktop.portal.OpenURI",
                    "OpenURI",
                    arguments,
                    nil,
                    startsIt ? G_DBUS_CALL_FLAGS_NONE : G_DBUS_CALL_FLAGS_NO_AUTO_START,
                    deadline.remaining.wholeMilliseconds,
                    nil,
                    &error
                )
            }
        }
        guard let answer = unsafe answer else {
            unsafe g_clear_error(&error)
            return false
        }
        unsafe g_variant_unref(answer)
        return true
    }
}
