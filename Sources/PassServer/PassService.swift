internal import FoundationEssentials
internal import LoopbackServer
internal import Synchronization

/// Answers calls: the one owner of the server's state, and the one place that waits.
final class PassService: Sendable {
    private let state: Mutex<ServerState>
    private let now: @Sendable () -> Date

    init(_ state: ServerState, now: @escaping @Sendable () -> Date = { Date() }) {
        self.state = Mutex(state)
        self.now = now
    }

    /// Answers a request, late or spoilt where that is wanted.
    func answer(_ request: ServedRequest) async -> ServedAnswer {
        let route: Route
        let call: Call
        do throws(Refusal) {
            (route, call) = try Route.find(Call(request))
        } catch {
            return error.answer
        }
        let (latency, fault) = state.withLock { state in
            (state.knobs.latencies[route.name] ?? 0, state.knobs.takeFault(of: route.name))
        }
        if latency > 0 { try? await Task.sleep(for: .seconds(latency)) }
        switch fault {
        case .garbage: return .text("not JSON, and no page")
        case .failure: return ServedAnswer(status: 503)
        case .throttling: return .throttled
        case .cutOff:
            // The server has done its part, and nobody learns of it. Before the first byte, clients would just ask again.
            return state.withLock { $0.answer(route, call, at: now()) }.half
        case .silence:
            try? await Task.sleep(for: .seconds(86_400))
            return .cut
        case nil: return state.withLock { $0.answer(route, call, at: now()) }
        }
    }
}
