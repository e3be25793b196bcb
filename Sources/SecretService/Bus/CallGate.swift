internal import Synchronization

/// The point that every outgoing call of one service passes, with an interceptor for tests and a trace for people.
final class CallGate: Sendable {
    private let interceptor: CallInterceptor?
    private let waits: WaitCounter?
    private let trace: CallTrace?
    private let passed = Atomic<Int>(0)

    init(_ interceptor: CallInterceptor?, counting waits: WaitCounter? = nil, tracing trace: CallTrace? = nil) {
        self.interceptor = interceptor
        self.waits = waits
        self.trace = trace
    }

    /// The departure of a request that leaves now; for ``noteAnswer(to:_:since:)``.
    var departure: Departure {
        Departure(endedWaits: waits?.ended ?? 0, instant: trace == nil ? nil : .now)
    }

    /// Notes that a thread has waited for the answer to a request, and how that ended.
    func noteAnswer<Answer>(
        to request: BusRequest,
        _ result: Result<Answer, SecretServiceError>?,
        since departure: Departure
    ) {
        waits?.note(request.member, sentAfter: departure.endedWaits)
        if trace != nil { note(request.tracedMethod, request.tracedSubject, result, since: departure) }
    }

    /// Notes that a thread has waited for a connection to the message bus.
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

/// A method call that is about to leave, as an interceptor sees it.
package struct BusCall: Sendable, Hashable {
    /// The object it goes to.
    package let path: String
    /// The interface, such as `org.freedesktop.Secret.Collection`.
    package let interface: String
    /// The method, such as `CreateItem`.
    package let member: String
    /// Its place among the calls of one ``SecretService``, from 1.
    package let ordinal: Int
}

/// For tests: sees each outgoing method call, and may change its outcome.
package struct CallInterceptor: Sendable {
    /// Carries the call out, once; a second call returns the same result.
    package typealias Proceed = () -> Result<Void, SecretServiceError>

    let body: @Sendable (BusCall, Proceed) -> SecretServiceError?

    /// Runs `body` on the calling thread for every method call.
    ///
    /// If `body` returns an error, the call ends with that: if `proceed` was not called, the call is not sent; otherwise its
    /// answer is dropped. If `body` returns nil, the call is carried out, unless it was, and keeps its own outcome.
    package init(_ body: @escaping @Sendable (BusCall, _ proceed: Proceed) -> SecretServiceError?) {
        self.body = body
    }
}

/// Counts at how many points in sequence a service has waited for an answer of the bus; for tests.
///
/// What was sent before a wait ended is answered in the same time: requests that are awaited together count once.
package final class WaitCounter: Sendable {
    private struct State {
        /// What was waited for, one entry for each wait.
        var waits: [[String]] = []
        /// How many of the waits were taken.
        var taken = 0
    }

    private let state = Mutex(State())

    /// Makes one that has counted nothing.
    package init() {}

    /// The waits since the last call, one text for each.
    package func takeAll() -> [String] {
        state.withLock { state in
            defer { state.taken = state.waits.count }
            return state.waits[state.taken...].map { $0.joined(separator: " + ") }
        }
    }

    /// How many waits have ended.
    var ended: Int { state.withLock { $0.waits.count } }

    /// Notes that an answer has come for which a thread has waited.
    ///
    /// - Parameter before: how many waits had ended when the request was sent.
    func note(_ member: String, sentAfter before: Int) {
        state.withLock { state in
            if before < state.waits.count {
                state.waits[before].append(member)
            } else {
                state.waits.append([member])
            }
        }
    }
}
