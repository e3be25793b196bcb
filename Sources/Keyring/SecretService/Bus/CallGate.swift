internal import Synchronization

/// The gate that every outgoing call of a service passes, with an interceptor for tests and a trace.
final class CallGate: Sendable {
    private let interceptor: CallInterceptor?
    private let waits: (any WaitObserver)?
    private let trace: CallTrace?
    private let passed = Atomic<Int>(0)

    init(_ interceptor: CallInterceptor?, telling waits: (any WaitObserver)? = nil, tracing trace: CallTrace? = nil) {
        self.interceptor = interceptor
        self.waits = waits
        self.trace = trace
    }

    /// The departure of a request that is sent now; for ``noteAnswer(to:_:since:)``.
    var departure: Departure {
        Departure(endedWaits: waits?.ended ?? 0, instant: trace == nil ? nil : .now)
    }

    /// Records that a thread has waited for the reply to a request, and the outcome.
    func noteAnswer<Answer>(
        to request: BusRequest,
        _ result: Result<Answer, SecretServiceError>?,
        since departure: Departure
    ) {
        waits?.note(request.member, sentAfter: departure.endedWaits)
        if trace != nil { note(request.tracedMethod, request.tracedSubject, result, since: departure) }
    }

    /// Records that a thread has waited for a connection to the message bus.
    func noteConnecting<Connection>(_ result: Result<Connection, SecretServiceError>, since departure: Departure) {
        for step in ["AUTH", "Hello"] { waits?.note(step, sentAfter: waits?.ended ?? 0) }
        note("connect", "the message bus", result, since: departure)
    }

    private func note<Answer>(
        _ method: String,
        _ subject: String,
        _ result: Result<Answer, SecretServiceError>?,
        since departure: Departure
    ) {
        guard let trace, let instant = departure.instant else { return }
        var failure: SecretServiceError.Code? = .timedOut
        switch result {
        case .success?: failure = nil
        case .failure(let error)?: failure = error.code
        case nil: break
        }
        trace.body(
            CallTrace.Answered(method: method, subject: subject, time: instant.duration(to: .now), failure: failure)
        )
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

/// A method call that is about to be sent, for an interceptor.
package struct BusCall: Sendable, Hashable {
    /// The path of the called object.
    package let path: String
    /// The interface, such as `org.freedesktop.Secret.Collection`.
    package let interface: String
    /// The method, such as `CreateItem`.
    package let member: String
    /// Its position among the calls of one ``SecretService``, starting at 1.
    package let ordinal: Int
}

/// Intercepts each outgoing method call in tests, and may change its outcome.
package struct CallInterceptor: Sendable {
    /// Carries out the call. A second invocation returns the same result.
    package typealias Proceed = () -> Result<Void, SecretServiceError>

    let body: @Sendable (BusCall, Proceed) -> SecretServiceError?

    /// Creates an interceptor that runs `body` on the calling thread for each method call.
    ///
    /// If `body` returns an error, the call ends with it. Without a call of `proceed`, nothing is sent; otherwise the
    /// reply is dropped. If `body` returns nil, the call is carried out unless it was already, and keeps its outcome.
    package init(_ body: @escaping @Sendable (BusCall, _ proceed: Proceed) -> SecretServiceError?) {
        self.body = body
    }
}

/// Hears of each reply for which a thread has waited. Tests count the waits.
package protocol WaitObserver: Sendable {
    /// The number of waits that have ended.
    var ended: Int { get }

    /// Records a reply that a thread has waited for.
    ///
    /// - Parameter before: The number of waits that had ended when the request was sent.
    func note(_ member: String, sentAfter before: Int)
}
