import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport

/// An OpenID provider in the test's own process, and the user who signs in there.
final class IssuerSite: HTTPTransport {
    static let url = "https://issuer.example"

    private let issuer = SmallIssuer(url: url)
    /// The parameters that the browser took to the sign-in page.
    private let asked = Mutex<[String: String]>([:])

    var last: [String: String] { asked.withLock { $0 } }

    /// The user, who signs in on the page.
    var person: BrowserUser {
        BrowserUser { [self] _, query in
            asked.withLock { $0 = query }
            return ["code": "the-code"]
        }
    }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        switch request.url.path {
        case "/.well-known/openid-configuration": .json(issuer.configuration)
        case "/keys": .json(issuer.keys)
        case "/exchange": (try? issuer.tokens(nonce: last["nonce"] ?? "")).map { .json($0) } ?? .page(500)
        default: .page(404)
        }
    }
}
