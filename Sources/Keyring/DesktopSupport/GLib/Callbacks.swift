package import CGLibSecret
internal import Synchronization

// Functions that GLib calls are global and not isolated to an actor, since GLib calls them on its own thread. Their
// data is a box, retained once when it is passed to GLib and released once by `releaseBox`, the destroy function of the
// same registration. The callback of a single reply releases its box itself.

/// Work to run on the GLib thread.
package final class JobBox: Sendable {
    private let body: @Sendable () -> Void
    // Orders the accesses to the values that `body` captures before its run. GLib does so too, with a futex that the
    // thread sanitizer cannot see.
    private let isReady = Atomic(false)

    package init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        isReady.store(true, ordering: .releasing)
    }

    package func run() {
        if isReady.load(ordering: .acquiring) { body() }
    }
}

/// Returns a retained box as GLib's data. Pass it together with `releaseBox`.
package func retainedBox(_ box: AnyObject) -> gpointer {
    unsafe Unmanaged.passRetained(box).toOpaque()
}

package func releaseBox(_ data: gpointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(data).release()
}

/// The destroy function of a box in a handler of a GObject's signal.
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
