internal import CLibsecret

/// A `GAsyncReadyCallback` for an `AnswerBox`; GLib calls it once, whatever happens.
func answerArrived(_ connection: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    var error: UnsafeMutablePointer<GError>?
    let reply = unsafe g_dbus_connection_send_message_with_reply_finish(OpaquePointer(connection), result, &error)
    unsafe Unmanaged<AnswerBox>.fromOpaque(data).takeRetainedValue().settle(reply, error)
}

/// The life of a thread that awaits an `UncutAnswer`.
func awaitLateAnswer(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<UncutAnswer>.fromOpaque(data).takeRetainedValue().finish()
    }
    return nil
}
