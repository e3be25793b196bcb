internal import DesktopSupport

/// A request that has been sent. Other requests sent before its reply arrives share one wait with it.
///
/// Wait for the reply on the thread that sent the request. Without a wait, the reply is dropped.
package struct SentRequest<Value> {
    private let wait: (Deadline) throws(SecretServiceError) -> Value

    init(_ wait: @escaping (Deadline) throws(SecretServiceError) -> Value) {
        self.wait = wait
    }

    /// Waits for the reply.
    package func answer(by deadline: Deadline) throws(SecretServiceError) -> Value { try wait(deadline) }

    /// Returns the same request, with its result passed through `transform`.
    package func map<Other>(
        _ transform: @escaping (Result<Value, SecretServiceError>) throws(SecretServiceError) -> Other
    ) -> SentRequest<Other> {
        SentRequest<Other> { [wait] (deadline) throws(SecretServiceError) in
            try transform(Result { () throws(SecretServiceError) in try wait(deadline) })
        }
    }
}

extension SecretService {
    /// Sends a request, to wait for its reply later. That wait may wait for a daemon, as ``call(_:by:)`` does.
    func ask<Value>(
        _ request: BusRequest,
        by deadline: Deadline,
        _ read: @escaping (Variant) throws(SecretServiceError) -> Value
    ) throws(SecretServiceError) -> SentRequest<Value> {
        let connection = try connection(by: deadline)
        let pending = try connection.begin(request, by: deadline)
        return SentRequest { [self] (deadline) throws(SecretServiceError) in
            var isAsked = true
            let answer = try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
                guard isAsked else { return try self.connection(by: deadline).call(request, by: deadline) }
                isAsked = false
                return try connection.wait(for: pending, by: deadline)
            }
            return try read(answer)
        }
    }
}
