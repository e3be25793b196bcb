package import CLibsecret

/// A timer on the GLib thread; it stops when it goes.
@safe package final class GLibTimer {
    private let source: UnsafeMutablePointer<GSource>?

    /// Takes over the reference.
    package init(taking source: UnsafeMutablePointer<GSource>?) {
        unsafe self.source = source
    }

    deinit {
        unsafe g_source_destroy(source)
        unsafe g_source_unref(source)
    }
}
