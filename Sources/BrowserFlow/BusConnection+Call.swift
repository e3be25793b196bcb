internal import CLibsecret
internal import GLibSupport

extension BusConnection {
    /// Calls a method and waits for the answer; nil if there is none, or it is an error.
    func call(
        _ destination: String,
        _ place: (path: String, interface: String),
        _ method: String,
        _ arguments: Variant,
        _ deadline: Deadline
    ) -> Variant? {
        let answer = unsafe withUnsafePointer { connection in
            unsafe arguments.withUnsafePointer { arguments in
                unsafe g_dbus_connection_call_sync(
                    connection,
                    destination,
                    place.path,
                    place.interface,
                    method,
                    arguments,
                    nil,
                    G_DBUS_CALL_FLAGS_NO_AUTO_START,
                    deadline.remaining.wholeMilliseconds,
                    nil,
                    nil
                )
            }
        }
        return unsafe answer.map { answer in unsafe Variant(taking: answer) }
    }
}
