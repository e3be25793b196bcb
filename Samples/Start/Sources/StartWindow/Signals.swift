import CGTK

extension OpaquePointer {
    /// The object as another class: what C's `GTK_WINDOW()` and the like are for.
    func `as`<Class>(_: Class.Type) -> UnsafeMutablePointer<Class> { UnsafeMutablePointer(self) }
}

/// Calls `body` whenever an object emits a signal that has no arguments of its own.
@MainActor
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    let handler: @convention(c) (gpointer, gpointer) -> Void = { _, data in
        let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
        MainActor.assumeIsolated { handler.body() }
    }
    let data = Unmanaged.passRetained(Handler(body)).toOpaque()
    g_signal_connect_data(object, signal, unsafeBitCast(handler, to: GCallback.self), data, nil, GConnectFlags(0))
}

private final class Handler: Sendable {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}
