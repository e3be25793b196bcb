internal import CLibsecret
internal import Synchronization

// Every function that GLib calls, and every box it hands them. They are at file level, isolated to nobody, since GLib calls
// them on its own thread. A box is retained once where it is handed out and released once by `releaseBox`, which is
// given to GLib as the destroy function of the same registration; the callback of a single answer releases it itself.

/// Work to run on the GLib thread.
final class JobBox: Sendable {
    private let body: @Sendable () -> Void
    // Orders whatever the body uses before its run. GLib does so too, by a futex that the thread sanitizer cannot see.
    private let isReady = Atomic(false)

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        isReady.store(true, ordering: .releasing)
    }

    func run() {
        if isReady.load(ordering: .acquiring) { body() }
    }
}

/// Who receives the events of a connection.
final class ReceiverBox: Sendable {
    let receive: @Sendable (BusEvent) -> Void

    init(_ receive: @escaping @Sendable (BusEvent) -> Void) {
        self.receive = receive
    }
}

/// Hands a box to GLib, together with `releaseBox`.
func retainedBox(_ box: AnyObject) -> gpointer {
    unsafe Unmanaged.passRetained(box).toOpaque()
}

func releaseBox(_ data: gpointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(data).release()
}

func releaseClosureBox(_ data: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    unsafe releaseBox(data)
}

/// A `GSourceFunc` that runs a `JobBox` once.
func runJob(_ data: gpointer?) -> gboolean {
    if let data = unsafe data {
        unsafe Unmanaged<JobBox>.fromOpaque(data).takeUnretainedValue().run()
    }
    return 0
}

/// The life of a thread that runs a `JobBox`, and releases it.
func runJobOnce(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<JobBox>.fromOpaque(data).takeRetainedValue().run()
    }
    return nil
}

/// The GLib thread's life: it serves its context until the process ends.
func serveContext(_ context: gpointer?) -> gpointer? {
    let context = OpaquePointer(context)
    unsafe g_main_context_push_thread_default(context)
    unsafe g_main_loop_run(g_main_loop_new(context, 0))
    return nil
}

/// A `GDBusSignalCallback` for a `ReceiverBox`.
func signalArrived(
    _ connection: OpaquePointer?,
    _ sender: UnsafePointer<CChar>?,
    _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?,
    _ member: UnsafePointer<CChar>?,
    _ arguments: OpaquePointer?,
    _ data: gpointer?
) {
    guard let path = unsafe path, let interface = unsafe interface, let member = unsafe member,
        let arguments = unsafe arguments, let data = unsafe data
    else { return }
    let signal = unsafe BusSignal(
        path: String(cString: path),
        interface: String(cString: interface),
        member: String(cString: member),
        arguments: Variant(borrowing: arguments)
    )
    unsafe Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue().receive(.signal(signal))
}

/// A `GAsyncReadyCallback` for an `AnswerBox`; GLib calls it once, whatever happens.
func answerArrived(_ connection: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    var error: UnsafeMutablePointer<GError>?
    let reply = unsafe g_dbus_connection_send_message_with_reply_finish(OpaquePointer(connection), result, &error)
    unsafe Unmanaged<AnswerBox>.fromOpaque(data).takeRetainedValue().settle(reply, error)
}

/// The handler of a connection's `closed` signal, for a `ReceiverBox`.
func connectionClosed(
    _ connection: gpointer?,
    _ remotePeerVanished: gboolean,
    _ error: UnsafeMutablePointer<GError>?,
    _ data: gpointer?
) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue().receive(.closed)
}

/// The life of a thread that awaits an `UncutAnswer`.
func awaitLateAnswer(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<UncutAnswer>.fromOpaque(data).takeRetainedValue().finish()
    }
    return nil
}
