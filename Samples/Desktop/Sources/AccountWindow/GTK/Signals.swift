internal import CAdwaita

/// Calls `body` for a signal whose handlers get the object and their own data, and nothing else: `clicked`, `activate`,
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

/// A closure as a signal's data.
private final class Handler: Sendable {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

/// GTK calls it, always on the main thread, and knows nothing of actors.
private let callHandler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
    guard let data else { return }
    let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
    MainActor.assumeIsolated { handler.body() }
}
