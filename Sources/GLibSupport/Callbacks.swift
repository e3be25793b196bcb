package import CLibsecret
internal import Synchronization

// Every function that GLib calls, and every box it hands them. They are at file level, isolated to nobody, since GLib calls
// them on its own thread. A box is retained once where it is handed out and released once by `releaseBox`, which is
// given to GLib as the destroy function of the same registration; the callback of a single answer releases it itself.

/// Work to run on the GLib thread.
package final class JobBox: Sendable {
    private let body: @Sendable () -> Void
    // Orders whatever the body uses before its run. GLib does so too, by a futex that the thread sanitizer cannot see.
    private let isReady = Atomic(false)

    package init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        isReady.store(true, ordering: .releasing)
    }

    package func run() {
        if isReady.load(ordering: .acquiring) { body() }
    }
}

/// Who receives the events of a connection.
package final class ReceiverBox: Sendable {
    package let receive: @Sendable (BusEvent) -> Void

    package init(_ receive: @escaping @Sendable (BusEvent) -> Void) {
        self.receive = receive
    }
}

/// Hands a box to GLib, together with `releaseBox`.
package func retainedBox(_ box: AnyObject) -> gpointer {
    unsafe Unmanaged.passRetained(box).toOpaque()
}

package func releaseBox(_ data: gpointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(data).release()
}

package func releaseClosureBox(_ data: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    unsafe releaseBox(data)
}

/// A `GSourceFunc` that runs a `JobBox` once.
package func runJob(_ data: gpointer?) -> gboolean {
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
package func signalArrived(
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

/// The handler of a connection's `closed` signal, for a `ReceiverBox`.
package func connectionClosed(
    _ connection: gpointer?,
    _ remotePeerVanished: gboolean,
    _ error: UnsafeMutablePointer<GError>?,
    _ data: gpointer?
) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue().receive(.closed)
}
