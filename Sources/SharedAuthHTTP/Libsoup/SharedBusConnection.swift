internal import CLibsecret
internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// GIO's own connection to the session bus, of which a process has one, shared by all that use GIO.
///
/// GIO opens it where it reads the desktop's settings or speaks to a portal, for example to learn of proxies, and ends the
/// process when the bus dies. A program that never asked for that connection must not be ended by it.
enum SharedBusConnection {
    private enum State {
        case idle
        case preparing(waiting: [@Sendable () -> Void])
        case ready
    }

    private static let state = Mutex(State.idle)
    /// The place where the desktop is asked for its proxies the first time.
    private static let thread = ContextThread(named: "sharedauth-proxy")

    /// Runs `body` on ``httpThread``, from which it is to be called, once the process outlives the bus and the desktop was asked for
    /// its proxies; at once if it was before. A portal that hangs holds up nothing else.
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
        // GIO looks up its modules under one lock: what requests need of them is looked up before a portal can hang.
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

    /// Lets the process outlive the bus, for connections that were opened to send requests.
    ///
    /// GIO offers no way to look at the shared connection without opening it, so this waits for the moment of its closing:
    /// GIO calls the hooks of a signal before its own handler, which ends the process.
    ///
    /// The first look at the proxies is made here, too: GIO would make it on a thread of its own, and report the closing in
    /// the app's main loop, as that of a connection of the app's.
    private static func prepare() {
        let type = g_dbus_connection_get_type()
        // The class has to be there before its signals can be looked up; it stays.
        unsafe g_type_class_ref(type)
        unsafe g_signal_add_emission_hook(g_signal_lookup("closed", type), 0, connectionCloses, nil, nil)
        unsafe g_strfreev(g_proxy_resolver_lookup(g_proxy_resolver_get_default(), "http://127.0.0.1/", nil, nil))
    }

    /// Whether the caller runs where GIO reports the closing of a connection that was opened for a request: on the threads that send
    /// requests and look for proxies, or on that of dconf, from which GIO reads settings.
    ///
    /// GIO reports it in the context in which the connection was opened; what the app opened by itself is left alone.
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

/// A `GSignalEmissionHook` for the closing of any connection to a bus.
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
