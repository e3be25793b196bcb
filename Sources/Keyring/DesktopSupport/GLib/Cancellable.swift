package import CGLibSecret

/// Cancels a GLib operation from another thread.
@safe package final class Cancellable: @unchecked Sendable {
    // A GCancellable is thread-safe.
    private let pointer: UnsafeMutablePointer<GCancellable>?

    package init() {
        unsafe pointer = g_cancellable_new()
    }

    deinit {
        unsafe g_object_unref(pointer)
    }

    package func cancel() {
        unsafe g_cancellable_cancel(pointer)
    }

    package func withUnsafePointer<Result>(_ body: (UnsafeMutablePointer<GCancellable>?) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }

    /// Runs `body` with a file descriptor that becomes readable when this is cancelled.
    package func withFileDescriptor<Result>(_ body: (Int32) -> Result) -> Result {
        unsafe withUnsafePointer { pointer in
            let file = unsafe g_cancellable_get_fd(pointer)
            defer { unsafe g_cancellable_release_fd(pointer) }
            return body(file)
        }
    }
}
