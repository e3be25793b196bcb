import Crypto
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

/// An OpenID provider in the test's own process, which signs everybody in.
final class SmallIssuer: HTTPTransport {
    static let url = "https://issuer.example"

    private let key = P256.Signing.PrivateKey()
    /// What the browser was sent to the sign-in page with.
    private let asked = Mutex<[String: String]>([:])

    var last: [String: String] { asked.withLock { $0 } }

    /// The person, who signs in at the page.
    var person: Person {
        Person { [self] _, query in
            asked.withLock { $0 = query }
            return ["code": "the-code"]
        }
    }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        switch request.url.path {
        case "/.well-known/openid-configuration":
            return .json(
                #"{"issuer": "\#(Self.url)", "authorization_endpoint": "\#(Self.url)/authorize", "token_endpoint": "\#(Self.url)/token", "jwks_uri": "\#(Self.url)/keys", "code_challenge_methods_supported": ["S256"]}"#
            )
        case "/keys":
            let point = key.publicKey.rawRepresentation
            let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
            return .json(
                #"{"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "kid": "k", "alg": "ES256", "x": "\#(x)", "y": "\#(y)"}]}"#
            )
        case "/token":
            return .json(
                #"{"id_token": "\#(idToken())", "access_token": "there", "token_type": "Bearer", "expires_in": 600}"#
            )
        default: return .page(404)
        }
    }

    private func idToken() -> String {
        let now = Date().timeIntervalSince1970.rounded(.down)
        let claims: [String: JSONValue] = [
            "iss": .string(Self.url), "aud": .string("desktop"), "sub": .string("ada"), "iat": .number(now),
            "exp": .number(now + 600), "nonce": .string(last["nonce"] ?? ""),
        ]
        let head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"k"}"#.utf8))
        let text = "\(head).\(Base64URL.encode((try? JSONEncoder().encode(claims)) ?? Data()))"
        let signature = try? key.signature(for: Data(text.utf8)).rawRepresentation
        return "\(text).\(Base64URL.encode(signature ?? Data()))"
    }
}
