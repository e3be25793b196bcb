import FoundationEssentials

@testable import BrowserFlow
@testable import IdentityToolkit
@testable import JSONWebSignature
@testable import OpenIDConnect
@testable import SharedAuth
@testable import SharedAuthHTTP

/// Reads an ID token, and an ID token with these claims.
func fuzzIDToken(_ bytes: [UInt8]) {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"k"}"#.utf8))
    let rules = IDTokenRules(issuerURL: "https://a.example", clientID: "desktop")
    for text in [String(decoding: bytes, as: UTF8.self), "\(header).\(Base64URL.encode(bytes)).AAAA"] {
        guard let token = try? IDToken(text) else { continue }
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for occasion in [IDTokenRules.Occasion.signIn(rawNonce: nil, maxAge: 60), .refresh(of: token)] {
            guard (try? rules.check(token, with: "access", on: occasion, now: now)) != nil else { continue }
            precondition(token.subject?.utf8.allSatisfy { (0x20...0x7E).contains($0) } == true)
        }
        _ = try? AuthTokenResult(idToken: text)
        _ = TokenClaims(text)?.profile(providers: nil)
        _ = UserClaims(members: token.claims).profile(signedInAt: "a.example")
    }
}

/// Reads the bytes that a browser or another program sends to the listener.
func fuzzRedirect(_ bytes: [UInt8]) {
    let rules = RedirectRules(path: "/callback", host: "127.0.0.1:1234", state: "s")
    for bytes in [bytes, Array("GET /callback?".utf8) + bytes] {
        var request = RedirectRequest()
        request.read(bytes)
        precondition(request.line.count <= RedirectRequest.lineLimit + 1 && request.hosts.count <= 2)
        if case .accept(let answer) = rules.verdict(on: request) { precondition(answer["state"] == "s") }
    }
}

/// Reads servers' headers and redirect addresses.
func fuzzHeaders(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = Freshness.of(cacheControl: text)
    if let fields = FormReader.fields(bytes) {
        precondition(FormReader.fields(FormEncoding.encode(fields.map { ($0, $1) }).utf8) == fields)
    }
    _ = AccessTokenRefusal(HTTPResponse(status: 401, headers: ["WWW-Authenticate": text], body: bytes))
    _ = HTTPDate.parse(text)
    if let address = WebAddress(text) {
        precondition(!address.isAllowed(byServerOnThisMachine: false) || address.isProtected)
        _ = address.adding([("a", "b")])
    }
    guard let url = URL(string: "https://a.example/x") else { return }
    let headers: HTTPHeaders = ["Location": text, "Retry-After": text, "Date": text, "Content-Type": text]
    let rules = HTTPRules(policy: HTTPPolicy())
    let response = HTTPResponse(status: 302, headers: headers)
    if let next = try? rules.redirect(of: HTTPRequest(.get, url), by: response, after: 0) {
        precondition(HTTPOrigin(next.url) == HTTPOrigin(url))
    }
    _ = HTTPRetries(limit: 2).pause(
        after: .success(HTTPResponse(status: 503, headers: headers)),
        count: 0,
        remaining: .seconds(30),
        date: Date(timeIntervalSince1970: 1_800_000_000),
        chance: 0.5
    )
}

/// Reads servers' documents and responses.
func fuzzJSON(_ bytes: [UInt8]) {
    guard let value = JSONValue(bytes: bytes) else { return }
    precondition(JSONValue(bytes: value.bytes) == value)
    guard let object = JSONObject(value) else { return }
    let record = try? OAuthRecordCodec(name: "oauth2:https://a.example", project: "default").decode(bytes)
    _ = try? record?.metadata?.server(named: "https://a.example")
    _ = record?.metadata?.remainingFreshness(at: Date(timeIntervalSince1970: 0))
    _ = try? ServerMetadata(object, of: OpenIDClient(issuerURL: "https://a.example", clientID: "desktop"))
    _ = JSONWebKeySet(object.members).map { KeyOffer($0, object.strings("id_token_signing_alg_values_supported")) }
    _ = try? ServerMetadata(ofAuthorizationServer: object, named: "https://a.example")
    _ = try? RegisteredClient(object, redirectURIs: [])
    _ = (try? TokenHolder(object, uid: ["sub", "id", "user.id"]))?.claims.profile(signedInAt: "a.example")
    _ = try? TokenAnswer(object)
    _ = object.profile(nil)
    _ = try? object.tokens(at: Date(timeIntervalSince1970: 0))
    _ = object.details(nil)
    _ = ServerRefusal(object.string("error") ?? "").error(of: .refresh)
}
