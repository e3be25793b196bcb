internal import CGLibSecret
internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// GIO's shared connection to the session bus, of which a process has one.
///
/// GIO opens it to read the desktop's settings or to call a portal, for example to find proxies, and ends the process
/// when the bus dies. A program that did not open that connection itself must not be ended by it.
enum SharedBusConnection {
    private enum State {
        case idle
        case preparing(waiting: [@Sendable () -> Void])
        case ready
    }

    private static let state = Mutex(State.idle)
    /// The thread of the first proxy lookup.
    private static let thread = ContextThread(named: "sharedauth-proxy")

    /// Runs `body` on ``httpThread`` once the process survives the end of the bus and the first proxy lookup is done;
    /// immediately if that is already so. Call it on ``httpThread``. A portal that hangs delays only these bodies.
    static func whenReady(_ body: @escaping @Sendable () -> Void) {
        let (isReady, isFirst) = state.withLock { state in
            switch state {
            case .idle:
                state = .preparing(waiting: [body])
                return (false, true)
            case .preparing(let waiting):
                state = .preparing(waiting: waiting + [body])
                return (false, false)
            case .ready:
                return (true, false)
            }
        }
        if isReady { body() }
        guard isFirst else { return }
        // GIO loads its modules under one lock. Load the one that requests need before a portal can hang.
        unsafe _ = g_tls_backend_get_default()
        thread.enqueue {
            prepare()
            let waiting = state.withLock { state -> [@Sendable () -> Void] in
                defer { state = .ready }
                guard case .preparing(let waiting) = state else { return [] }
                return waiting
            }
            for body in waiting { httpThread.enqueue(body) }
        }
    }

    /// Lets the process survive the end of the bus, for connections that were opened to send requests.
    ///
    /// GIO offers no way to get the shared connection without opening it, so this installs a hook for its closing: GIO
    /// calls the emission hooks of a signal before its own handler, which ends the process.
    ///
    /// The first proxy lookup is also made here. GIO would otherwise make it on its own thread and report the closing
    /// in the app's main loop, as if the app had opened the connection.
    private static func prepare() {
        let type = g_dbus_connection_get_type()
        // The class must exist before its signals can be looked up; it is never unloaded.
        unsafe g_type_class_ref(type)
        unsafe g_signal_add_emission_hook(g_signal_lookup("closed", type), 0, connectionCloses, nil, nil)
        unsafe g_strfreev(g_proxy_resolver_lookup(g_proxy_resolver_get_default(), "http://127.0.0.1/", nil, nil))
    }

    /// True if the calling thread is one on which GIO reports the closing of a connection that was opened for a
    /// request: the threads that send requests and look up proxies, or dconf's thread, from which GIO reads settings.
    ///
    /// GIO reports the closing in the context in which the connection was opened. Connections that the app opened are
    /// not changed.
    fileprivate static var isCurrentThreadOurs: Bool {
        if thread.isCurrent || httpThread.isCurrent { return true }
        let file = unsafe open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var name = [UInt8](repeating: 0, count: 16)
        let count = unsafe read(file, &name, name.count)
        return name.prefix(max(0, count)).elementsEqual("dconf worker\n".utf8)
    }
}

/// A `GSignalEmissionHook` for the closing of any bus connection.
private func connectionCloses(
    _ hint: UnsafeMutablePointer<GSignalInvocationHint>?,
    _ count: guint,
    _ values: UnsafePointer<GValue>?,
    _ data: gpointer?
) -> gboolean {
    if SharedBusConnection.isCurrentThreadOurs, let object = unsafe g_value_get_object(values) {
        unsafe g_dbus_connection_set_exit_on_close(OpaquePointer(object), 0)
    }
    return 1
}
