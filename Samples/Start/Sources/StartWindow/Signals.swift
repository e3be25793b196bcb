import CGTK

extension OpaquePointer {
    /// Casts the object to another class, as C's `GTK_WINDOW()` and similar macros do.
    func `as`<Class>(_: Class.Type) -> UnsafeMutablePointer<Class> { UnsafeMutablePointer(self) }
}

/// Calls `body` whenever an object emits a signal without arguments.
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
