import FoundationEssentials
import SharedAuthHTTP
import TestSupport
import Testing

/// Returns an address on this machine.
func address(_ port: UInt16, _ path: String = "/", scheme: String = "http", host: String = "127.0.0.1") throws -> URL {
    try #require(URL(string: "\(scheme)://\(host):\(port)\(path)"))
}

extension HTTPClient {
    /// Returns a client with the default transport that does not retry, with limits set by the test.
    static func once(_ transport: any HTTPTransport = .libsoup, _ change: (inout HTTPPolicy) -> Void = { _ in })
        -> HTTPClient
    {
        var policy = HTTPPolicy()
        policy.retryLimit = 0
        change(&policy)
        OwnThreads.watched
        return HTTPClient(transport: transport, policy: policy)
    }

    func get(_ url: URL, _ retry: Retry = .idempotent) async throws(HTTPError) -> HTTPResponse {
        try await send(HTTPRequest(.get, url), retrying: retry)
    }

    func post(_ url: URL, _ body: String = "", _ headers: HTTPHeaders = [:]) async throws(HTTPError) -> HTTPResponse {
        try await send(HTTPRequest(.post, url, headers: headers, body: Array(body.utf8)), retrying: .never)
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
