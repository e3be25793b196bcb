import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

@testable import OpenIDConnect

/// Stands in front of a scripted issuer: responds to requests with or without its responses.
final class IssuerFront: HTTPTransport {
    /// A request: `path` or `path grant_type`, and its form.
    struct Question: Sendable {
        let name: String
        let form: [String: String]
    }

    typealias Usual = @Sendable () async throws(HTTPError) -> HTTPResponse

    private let issuer: ScriptedIssuer
    private let answer: @Sendable (Question, Usual) async throws(HTTPError) -> HTTPResponse
    private let asked = Mutex<[String]>([])

    init(
        _ issuer: ScriptedIssuer,
        _ answer: @escaping @Sendable (Question, Usual) async throws(HTTPError) -> HTTPResponse
    ) {
        (self.issuer, self.answer) = (issuer, answer)
    }

    /// Returns the number of requests so far.
    func count(of name: String) -> Int { asked.withLock { $0.count { $0 == name } } }

    /// A client that sends each request once.
    var http: HTTPClient {
        var policy = HTTPPolicy()
        policy.retryLimit = 0
        return HTTPClient(transport: self, policy: policy)
    }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        var components = URLComponents()
        components.percentEncodedQuery = request.body.map { String(decoding: $0, as: UTF8.self) }
        let form = (components.queryItems ?? []).map { item in
            (item.name, (item.value ?? "").replacing("+", with: " "))
        }
        let question = Self.question(request, Dictionary(form) { $1 })
        asked.withLock { $0.append(question.name) }
        let response = try await answer(question) { [issuer] () async throws(HTTPError) in
            try await issuer.send(request, within: limits)
        }
        if response.body.count > limits.body {
            throw HTTPError(.bodyTooLarge, "The answer is too large.", requestWasSent: true)
        }
        return response
    }

    private static func question(_ request: HTTPRequest, _ form: [String: String]) -> Question {
        let path = String(request.url.path.dropFirst("/realm".count))
        return Question(name: form["grant_type"].map { "\(path) \($0)" } ?? path, form: form)
    }
}

extension HTTPResponse {
    /// Returns a JSON response of success with other members; nil removes one.
    func changed(by changes: [String: JSONValue?]) -> HTTPResponse {
        guard isSuccess, var members = JSONObject(body)?.members else { return self }
        for (name, value) in changes { members[name] = value }
        return .json(members, status: status)
    }
}
