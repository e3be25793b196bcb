import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

/// Pass's servers in the test's own process: they register clients, issue access tokens, and respond as scripted.
final class ScriptedPass: HTTPTransport {
    /// One request as it was sent.
    struct Sent: Sendable {
        let method: String
        let url: String
        let headers: HTTPHeaders
        let body: String

        /// The method and path, with the query.
        var call: String { "\(method) \(url.dropFirst("http://127.0.0.1:1".count))" }
        var isRegistration: Bool { url.hasSuffix("/o/client/register") }
        var isTokenRequest: Bool { url.hasSuffix("/o/client/token") }
    }

    /// The server's behavior, which a test can change.
    struct Script: Sendable {
        /// The responses to calls of REST v2, by method and path without `/api/v2`. The last one is repeated.
        var answers: [String: [HTTPResponse]] = [:]
        /// The responses to the next registrations and requests for access tokens, before the usual ones.
        var registrations: [HTTPResponse] = []
        var tokenAnswers: [HTTPResponse] = []
        /// The lifetime of access tokens, in seconds.
        var lifetime = 3600
        /// The clients and access tokens that are refused.
        var refusedClients: Set<String> = []
        var refusedTokens: Set<String> = []
        /// The error of every call.
        var failure: HTTPError?
    }

    fileprivate struct State {
        var script = Script()
        var sent: [Sent] = []
        var clients = 0
        var tokens = 0
        /// The client of each access token.
        var owners: [String: String] = [:]
        /// Indicates whether requests for access tokens wait until the test releases them.
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    fileprivate let state = Mutex(State())
    private let arrivals: AsyncStream<String>.Continuation
    /// The requests as they arrive.
    let calls: AsyncStream<String>

    init() { (calls, arrivals) = AsyncStream.makeStream(of: String.self) }

    func change(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

    /// Sets the responses to a call.
    func answer(_ call: String, _ responses: HTTPResponse...) { change { $0.answers[call] = responses } }

    /// Returns the requests since the last time and clears the list.
    func takeSent() -> [Sent] {
        state.withLock { state in
            defer { state.sent = [] }
            return state.sent
        }
    }

    /// Returns the requests of REST v2 since the last time, without those of registration.
    func takeCalls() -> [Sent] { takeSent().filter { !$0.isRegistration && !$0.isTokenRequest } }

    /// Makes requests for access tokens wait.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Releases them.
    func release() {
        let held = state.withLock { state in
            defer { (state.isHeld, state.held) = (false, []) }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let sent = Sent(
            method: request.method.rawValue,
            url: request.url.absoluteString,
            headers: request.headers,
            body: String(decoding: request.body ?? [], as: UTF8.self)
        )
        state.withLock { $0.sent.append(sent) }
        arrivals.yield(sent.call)
        if sent.isTokenRequest { await pass() }
        if let failure = state.withLock({ $0.script.failure }) { throw failure }
        return state.withLock { $0.answer(to: sent) }
    }

    private func pass() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }
}

extension ScriptedPass.State {
    fileprivate mutating func answer(to sent: ScriptedPass.Sent) -> HTTPResponse {
        if sent.isRegistration {
            if !script.registrations.isEmpty { return script.registrations.removeFirst() }
            clients += 1
            return .json(
                #"{"client_id": "client\#(clients)", "client_secret": "secret\#(clients)", "client_id_issued_at": 1, "redirect_uris": ["a"], "grant_types": ["client_credentials"], "scopes": ["api:client:v2"]}"#,
                201
            )
        }
        if sent.isTokenRequest { return accessToken(sent) }
        let token = sent.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        guard let client = owners[token], !script.refusedTokens.contains(token) else {
            return .json(#"{"error": "access_denied"}"#, 401)
        }
        if script.refusedClients.contains(client) { return .json(#"{"error": "invalid_client"}"#, 403) }
        let path = sent.call.replacing("/api/v2", with: "", maxReplacements: 1)
        let name = String(path.prefix { $0 != "?" })
        guard var answers = script.answers[name], let answer = answers.first else { return .json("{}", 404) }
        if answers.count > 1 { answers.removeFirst() }
        script.answers[name] = answers
        return answer
    }

    private mutating func accessToken(_ sent: ScriptedPass.Sent) -> HTTPResponse {
        if !script.tokenAnswers.isEmpty { return script.tokenAnswers.removeFirst() }
        let client = String(sent.body.dropFirst("client_id=".count).prefix { $0 != "&" })
        if script.refusedClients.contains(client) { return .json(#"{"error": "invalid_client"}"#, 400) }
        tokens += 1
        owners["token\(tokens)"] = client
        return .json(
            #"{"id": "1", "access_token": "token\#(tokens)", "created_at": 1, "expires_in": \#(script.lifetime), "token_type": "bearer"}"#,
            201
        )
    }
}

extension HTTPResponse {
    static func json(_ text: String, _ status: Int = 200, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/json;charset=UTF-8"
        return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    /// Returns an error in Pass's format.
    static func error(_ code: String, _ status: Int = 403, details: String? = nil) -> HTTPResponse {
        let details = details.map { #", "details": "\#($0)""# } ?? ""
        return .json(
            #"{"action": "none", "status": \#(status), "code": "\#(code)", "message": "the message"\#(details), "trace": "t"}"#,
            status
        )
    }
}
