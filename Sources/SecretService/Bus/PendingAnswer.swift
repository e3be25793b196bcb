internal import CLibsecret
internal import Synchronization

/// The answer to a request that is on its way.
final class PendingAnswer: Sendable {
    private let request: BusRequest
    private let sandbox: Sandbox?
    private let isUntouched = Atomic(true)
    private let result = Monitor<Result<Variant, SecretServiceError>?>(nil)

    init(to request: BusRequest, in sandbox: Sandbox?) {
        self.request = request
        self.sandbox = sandbox
    }

    /// Decides, once, what becomes of the request: true for the first that asks, who sends it or gives it up.
    func takeUp() -> Bool { isUntouched.exchange(false, ordering: .acquiringAndReleasing) }

    /// Takes over what came, an answer or an error.
    func settle(_ answer: OpaquePointer?, _ error: UnsafeMutablePointer<GError>?) {
        let settled = unsafe request.result(taking: answer, error, in: sandbox)
        result.update { $0 = settled }
    }

    /// Waits for the answer.
    func wait(by deadline: Deadline) throws(SecretServiceError) -> Variant {
        guard let settled = result.wait(until: deadline, { $0 }) else { throw .neverAnswered(request) }
        return try settled.get()
    }
}
