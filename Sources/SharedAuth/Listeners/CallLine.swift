/// Makes calls in order, where an app's listeners are called: for modules of this package with listeners of their own.
package final class CallLine: Sendable {
    private let mailbox: Mailbox

    /// A line of calls on an executor.
    package init(_ executor: ListenerExecutor) { mailbox = Mailbox(loops: executor.loops) }

    /// Posts a call. It is made later, never before this returns, so that locks may be held.
    package func post(_ work: @escaping @Sendable () -> Void) {
        mailbox.post(Mailbox.Call(listener: nil) { _ in work() })
    }
}
