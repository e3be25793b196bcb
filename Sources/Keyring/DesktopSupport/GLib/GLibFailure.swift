package import CGLibSecret

/// An error that a GLib function reported.
package struct GLibFailure {
    /// The D-Bus error name, if the error arrived over the bus.
    package let remoteName: String?
    /// The code, if the error is one of GLib's I/O errors.
    package let ioCode: GIOErrorEnum?

    /// The unique name of the program that sent the error; nil if the bus itself sent it, or it did not arrive over the
    /// bus.
    package let sender: String?

    /// Takes ownership of the error.
    package init(taking error: UnsafeMutablePointer<GError>?, sender: String? = nil) {
        self.sender = sender
        guard let error = unsafe error else {
            remoteName = nil
            ioCode = nil
            return
        }
        let name = unsafe g_dbus_error_get_remote_error(error)
        remoteName = unsafe name.map { name in unsafe String(cString: name) }
        unsafe g_free(name)
        let isIO = unsafe error.pointee.domain == g_io_error_quark()
        ioCode = unsafe isIO ? GIOErrorEnum(rawValue: .init(error.pointee.code)) : nil
        unsafe g_error_free(error)
    }
}
