/// A test's hand between the library and the bus: it sees each outgoing method call and may change how it ends.
package struct CallInterceptor: Sendable {
    /// Lets the call be carried out, once; asked again it gives the same result.
    package typealias Proceed = () -> Result<Void, SecretServiceError>

    let body: @Sendable (BusCall, Proceed) -> SecretServiceError?

    /// Runs `body` on the calling thread for every method call.
    ///
    /// An error that `body` returns is what the call ends with: without having called `proceed`, the call has never left;
    /// after it, the call was carried out and its answer is dropped. If it returns nil, the call ends as it
    /// ends, and is carried out if that has not happened yet.
    package init(_ body: @escaping @Sendable (BusCall, _ proceed: Proceed) -> SecretServiceError?) {
        self.body = body
    }
}
