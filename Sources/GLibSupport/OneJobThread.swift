internal import CLibsecret

/// Runs `body`, which may wait, on a thread of its own that ends with it; the name is cut at 15 bytes by the system.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    unsafe g_thread_unref(g_thread_new(name, runJobOnce, retainedBox(JobBox(body))))
}

/// The life of a thread that runs a `JobBox`, and releases it.
private func runJobOnce(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<JobBox>.fromOpaque(data).takeRetainedValue().run()
    }
    return nil
}
