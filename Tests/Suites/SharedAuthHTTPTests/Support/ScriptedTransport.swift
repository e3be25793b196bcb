import SharedAuthHTTP
import Synchronization

typealias Outcome = Result<HTTPResponse, HTTPError>

extension Outcome {
    static var ok: Outcome { .success(HTTPResponse(status: 200)) }

    static func redirect(_ location: String) -> Outcome {
        .success(HTTPResponse(status: 302, headers: ["Location": location]))
    }
}

/// A transport that returns scripted outcomes, one after the other.
final class ScriptedTransport: HTTPTransport {
    private struct State {
        var outcomes: [Outcome]
        var requests: [HTTPRequest] = []
        var limits: [HTTPLimits] = []
    }

    private let state: Mutex<State>

    init(outcomes: [Outcome]) { state = Mutex(State(outcomes: outcomes)) }

    convenience init(_ outcomes: Outcome...) { self.init(outcomes: outcomes) }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    var limits: [HTTPLimits] { state.withLock { $0.limits } }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let outcome = state.withLock { state -> Outcome in
            state.requests.append(request)
            state.limits.append(limits)
            return state.outcomes.removeFirst()
        }
        return try outcome.get()
    }
}
