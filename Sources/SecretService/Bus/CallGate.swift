internal import Synchronization

/// What every outgoing call of one service passes: nothing, or an interceptor that counts.
final class CallGate: Sendable {
    private let interceptor: CallInterceptor?
    private let waits: WaitCounter?
    private let passed = Atomic<Int>(0)

    init(_ interceptor: CallInterceptor?, counting waits: WaitCounter? = nil) {
        self.interceptor = interceptor
        self.waits = waits
    }

    /// How many waits have ended; for ``noteWait(for:sentAfter:)``.
    var endedWaits: Int { waits?.ended ?? 0 }

    /// Notes that a thread has waited for the answer to a request.
    func noteWait(for member: String, sentAfter before: Int) {
        waits?.note(member, sentAfter: before)
    }

    func pass<Answer>(
        _ request: BusRequest,
        _ perform: () -> Result<Answer, SecretServiceError>
    ) -> Result<Answer, SecretServiceError> {
        guard let interceptor else { return perform() }
        let ordinal = passed.add(1, ordering: .relaxed).newValue
        let call = BusCall(
            path: request.path,
            interface: request.interface,
            member: request.member,
            ordinal: ordinal
        )
        var result: Result<Answer, SecretServiceError>?
        func once() -> Result<Answer, SecretServiceError> {
            let settled = result ?? perform()
            result = settled
            return settled
        }
        if let imposed = interceptor.body(call, { once().map { _ in } }) {
            return .failure(imposed)
        }
        return once()
    }
}
