internal import CAdwaita

/// Calls `body` for a signal whose handlers receive only the object and their own data: `clicked`, `activate`,
/// `entry-activated`, `button-clicked`, `dismissed`.
///
/// The closure lives as long as the object.
@MainActor
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    g_signal_connect_data(
        object,
        signal,
        unsafeBitCast(callHandler, to: GCallback.self),
        Unmanaged.passRetained(Handler(body)).toOpaque(),
        { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } },
        GConnectFlags(0)
    )
}

/// A closure, passed as the data of a signal handler.
private final class Handler: Sendable {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

/// GTK always calls it on the main thread, but does not support actors.
private let callHandler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
    guard let data else { return }
    let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
    MainActor.assumeIsolated { handler.body() }
}
