internal import DesktopSupport

/// A request that is on its way: other requests that are sent meanwhile take no time of their own.
///
/// Its answer is to be awaited on the thread that sent it. If the answer is not awaited, it is dropped.
package struct SentRequest<Value> {
    private let wait: (Deadline) throws(SecretServiceError) -> Value

    init(_ wait: @escaping (Deadline) throws(SecretServiceError) -> Value) {
        self.wait = wait
    }

    /// Waits for the answer.
    package func answer(by deadline: Deadline) throws(SecretServiceError) -> Value { try wait(deadline) }

    /// The same request, with an answer that `transform` makes of this one's.
    package func map<Other>(
        _ transform: @escaping (Result<Value, SecretServiceError>) throws(SecretServiceError) -> Other
    ) -> SentRequest<Other> {
        SentRequest<Other> { [wait] (deadline) throws(SecretServiceError) in
            try transform(Result { () throws(SecretServiceError) in try wait(deadline) })
        }
    }
}

extension SecretService {
    /// Sends a request whose answer is awaited later; that wait may wait for a daemon, as ``call(_:by:)`` does.
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
