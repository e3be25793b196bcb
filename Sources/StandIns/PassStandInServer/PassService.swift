internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuthHTTP
internal import Synchronization

/// Responds to calls. Owns the server's state; all delays happen here.
final class PassService: Sendable {
    private let state: Mutex<ServerState>
    private let now: @Sendable () -> Date
    private let report: @Sendable (StandInEvent) -> Void

    /// Creates a service. Calls `report` with each event, in order; `report` must not call the service.
    init(
        _ state: ServerState,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (StandInEvent) -> Void = { _ in }
    ) {
        self.state = Mutex(state)
        self.now = now
        self.report = report
    }

    /// Changes the state, and reports the events that the change has noted.
    private func change<Result: Sendable>(_ change: (inout ServerState) -> Result) -> Result {
        state.withLock { state in
            let last = state.journal.last
            let result = change(&state)
            state.journal.events(after: last).forEach(report)
            return result
        }
    }

    /// Returns the response to a request, with the configured delay and fault.
    func answer(_ request: ServedRequest) async -> ServedAnswer {
        let route: Route
        let call: Call
        do throws(Refusal) {
            (route, call) = try Route.find(Call(request))
        } catch {
            return error.answer
        }
        let (latency, fault) = change { state in
            let fault = state.controls.takeFault(of: route.name)
            if let fault { state.journal.note("spoilt", ["endpoint": route.name, "fault": fault.rawValue]) }
            return (state.controls.latencies[route.name] ?? 0, fault)
        }
        if latency > 0 { try? await Task.sleep(for: .seconds(latency)) }
        switch fault {
        case .garbage: return .text("not JSON, and no page")
        case .failure: return ServedAnswer(status: 503)
        case .throttling: return .throttled
        case .longThrottling: return ServedAnswer(status: 429, headers: ["Retry-After": "86400"])
        case .gone: return ServedAnswer(status: 410)
        case .precondition: return ServedAnswer(status: 412)
        case .cutOff:
            // The call takes effect, but the client gets no result. Cut after some bytes: a client that received none
            // would send the request again.
            return change { $0.answer(route, call, at: now()) }.half
        case .silence:
            try? await Task.sleep(for: .seconds(86_400))
            return .cut
        case nil: return change { $0.answer(route, call, at: now()) }
        }
    }
}
