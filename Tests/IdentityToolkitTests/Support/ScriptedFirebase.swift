import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

/// Firebase in the test's own process, as strict as the real one where a client could notice; it answers otherwise where the test
/// says so.
final class ScriptedFirebase: HTTPTransport {
    /// One request as it was sent.
    struct Sent: Sendable {
        let url: String
        let headers: HTTPHeaders
        let body: [UInt8]

        var json: JSONValue? { JSONValue(bytes: body) }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// What the path ends with, e.g. `accounts:signUp`.
        var name: String { URL(string: url)?.path.split(separator: "/").last.map(String.init) ?? "" }
    }

    struct Account: Sendable {
        var email: String?
        var password: String?
        var displayName: String?
        var isVerified = false
        var isDisabled = false
        var tenantID: String?
        /// By provider id, the user's id there.
        var identities: [String: String] = [:]
        /// The ids of second factors.
        var factors: [String] = []
        /// How often sessions were ended.
        var generation = 0
    }

    struct State {
        /// By the end of the path, instead of the answer that there would be.
        var answers: [String: Result<HTTPResponse, HTTPError>] = [:]
        var sent: [Sent] = []
        /// Makes the pages of other services.
        var makePage: (@Sendable (JSONObject) -> HTTPResponse)?
        var accounts: [String: Account] = [:]
        var refreshTokens: [String: (uid: String, generation: Int, kind: String)] = [:]
        /// Codes of mails, and what they are for.
        var codes: [String: (kind: String, email: String, newEmail: String?)] = [:]
        var count = 0

        mutating func next() -> Int {
            count += 1
            return count
        }
    }

    let state = Mutex(State())

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let sent = Sent(url: request.url.absoluteString, headers: request.headers, body: request.body ?? [])
        let scripted = state.withLock { state in
            state.sent.append(sent)
            return state.answers[sent.name]
        }
        if let scripted { return try scripted.get() }
        return state.withLock { $0.answer(to: sent) }
    }

    // MARK: What tests say and see

    func answer(_ name: String, _ response: HTTPResponse?) {
        state.withLock { $0.answers[name] = response.map { .success($0) } }
    }

    func fail(_ name: String, _ error: HTTPError) { state.withLock { $0.answers[name] = .failure(error) } }

    func refuse(_ name: String, _ message: String, status: Int = 400) {
        answer(name, .refusal(message, status: status))
    }

    func pages(_ make: @escaping @Sendable (JSONObject) -> HTTPResponse) { state.withLock { $0.makePage = make } }

    func change(_ uid: String, _ body: (inout Account) -> Void) {
        state.withLock { state in
            var account = state.accounts[uid] ?? Account()
            body(&account)
            state.accounts[uid] = account
        }
    }

    var sent: [Sent] { state.withLock { $0.sent } }
    var names: [String] { sent.map(\.name) }
    func last(_ name: String) -> Sent? { sent.last { $0.name == name } }
    func forget() { state.withLock { $0.sent = [] } }
    var lastCode: String { state.withLock { state in "code-\(state.codes.count)" } }
}

extension HTTPResponse {
    static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    static func refusal(_ message: String, status: Int = 400, _ more: String = "") -> HTTPResponse {
        let message = String(decoding: (try? JSONEncoder().encode(message)) ?? Data(), as: UTF8.self)
        return .json(#"{"error": {"code": \#(status), "message": \#(message)\#(more)}}"#, status: status)
    }

    static func page(_ status: Int) -> HTTPResponse {
        let text = "<!doctype html><title>Log in to the guest network</title>"
        return HTTPResponse(status: status, headers: ["Content-Type": "text/html"], body: Array(text.utf8))
    }
}

extension JSONValue {
    /// A value of its text.
    init(json text: String) {
        self = JSONValue(bytes: text.utf8) ?? .string("not JSON: \(text)")
    }
}
