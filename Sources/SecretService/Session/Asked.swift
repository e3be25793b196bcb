internal import GLibSupport

/// A question that is on its way: what is asked meanwhile costs no time of its own.
///
/// Its answer is to be awaited on the thread that has asked. A question whose answer nobody awaits is forgotten.
package struct Asked<Value> {
    private let wait: (Deadline) throws(SecretServiceError) -> Value

    init(_ wait: @escaping (Deadline) throws(SecretServiceError) -> Value) {
        self.wait = wait
    }

    /// Waits for the answer.
    package func answer(by deadline: Deadline) throws(SecretServiceError) -> Value { try wait(deadline) }

    /// The same question, of whose answer `transform` makes something else.
    package func map<Other>(
        _ transform: @escaping (Result<Value, SecretServiceError>) throws(SecretServiceError) -> Other
    ) -> Asked<Other> {
        Asked<Other> { [wait] (deadline) throws(SecretServiceError) in
            try transform(Result { () throws(SecretServiceError) in try wait(deadline) })
        }
    }
}

extension SecretService {
    /// Sends a request, whose answer is awaited later: as by ``call(_:by:)``, if nobody answers to the name.
    func ask<Value>(
        _ request: BusRequest,
        by deadline: Deadline,
        _ read: @escaping (Variant) throws(SecretServiceError) -> Value
    ) throws(SecretServiceError) -> Asked<Value> {
        let connection = try connection(by: deadline)
        let pending = try connection.begin(request, by: deadline)
        return Asked { [self] (deadline) throws(SecretServiceError) in
            var isAsked = true
            let answer = try awaitingProvider(by: deadline) { () throws(SecretServiceError) in
                guard isAsked else { return try self.connection(by: deadline).call(request, by: deadline) }
                isAsked = false
                return try connection.wait(for: pending, by: deadline)
            }
            return try read(answer)
        }
    }
}
