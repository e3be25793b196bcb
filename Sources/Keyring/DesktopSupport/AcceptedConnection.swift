internal import CDesktopSupport

/// Accepts a connection of a listening socket. From its first moment on it does not block, and no program that this
/// process executes inherits it.
///
/// - Returns: The descriptor, which the caller closes; -1 if no connection is waiting.
package func acceptConnection(on listener: Int32) -> Int32 { cdesktop_accept(listener) }
