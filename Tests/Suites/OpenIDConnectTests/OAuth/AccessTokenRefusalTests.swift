import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect

struct AccessTokenRefusalTests {
    private static func challenge(_ text: String, _ status: Int = 401) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["WWW-Authenticate": text])
    }

    private static func page(_ status: Int, _ challenge: String? = nil) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "text/html"]
        if let challenge { headers["WWW-Authenticate"] = challenge }
        return HTTPResponse(status: status, headers: headers, body: Array("<html>".utf8))
    }

    static let rows: [(HTTPResponse, AccessTokenRefusal?)] = [
        (challenge("Bearer error=\"invalid_token\""), .dead), (challenge("Bearer error=invalid_token"), .dead),
        (challenge("Bearer realm=\"a\", error=invalid_token, scope=\"b\""), .dead),
        (challenge("Bearer error_description=\"error=invalid_token\""), .unexplained),
        (challenge("Bearer xerror=\"invalid_token\""), .unexplained), (challenge("Bearer"), .unexplained),
        (challenge("Bearer error=\"invalid_token\"", 403), .dead),
        (challenge("Bearer error=\"invalid_token\"", 400), .dead),
        (challenge("Bearer error=\"invalid_token\"", 500), nil),
        (challenge("Bearer error=\"invalid_token\"", 503), nil),
        (challenge("Bearer error=\"insufficient_scope\"", 403), .other(ServerRefusal("insufficient_scope"))),
        (.json(["error": "invalid_token"]), .dead), (.json(["error": "invalid_token"], status: 401), .dead),
        (.json(["error": "invalid_token"], status: 502), nil),
        (.json(["error": "none", "id": 7]), nil), (.json(["error": .null, "id": 7]), nil),
        (.json(["message": "Bad credentials"], status: 401), .unexplained),
        (.json(["message": "Forbidden"], status: 403), .other(nil)), (.json([:], status: 404), nil),
        (HTTPResponse(status: 403, headers: ["X-RateLimit-Remaining": "0"]), .tooMany),
        (HTTPResponse(status: 403, headers: ["X-RateLimit-Remaining": "1"]), .other(nil)),
        (HTTPResponse(status: 403, headers: ["Retry-After": "60"]), .tooMany), (HTTPResponse(status: 429), nil),
        (page(401), nil), (page(403), nil), (page(401, "Bearer"), .unexplained), (page(401, "Basic realm=\"p\""), nil),
        (page(403, "Bearer error=\"invalid_token\""), .dead), (page(200), nil), (page(502), nil),
    ]

    @Test("Only what the server itself says about a token is its refusal", arguments: rows.indices)
    func refusal(_ row: Int) {
        #expect(AccessTokenRefusal(Self.rows[row].0) == Self.rows[row].1)
    }

    @Test("A limit of requests keeps the session, and asks to wait")
    func limit() {
        let tokens = UserTokens(refreshToken: nil, accessTokens: [])
        #expect(AccessTokenRefusal.tooMany.error(in: tokens).code == .tooManyRequests)
    }
}
