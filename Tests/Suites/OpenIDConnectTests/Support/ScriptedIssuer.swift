import Crypto
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

@testable import OpenIDConnect

/// An OpenID provider in the test's own process, which misbehaves as scripted.
final class ScriptedIssuer: HTTPTransport {
    static let issuerURL = "https://issuer.example/realm"

    /// The behavior that a test can change.
    struct Script {
        /// The responses that replace the usual ones, by path.
        var answers: [String: Result<HTTPResponse, HTTPError>] = [:]
        /// Returns the response to a request that replaces the usual one; nil for the usual one.
        var respond: @Sendable (_ question: String, _ form: [String: String]) -> HTTPResponse? = { _, _ in nil }
        /// Changes the members of responses with tokens.
        var changeTokens: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        /// Changes the members of UserInfo.
        var changeUserInfo: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        /// Changes the claims of ID tokens.
        var changeClaims: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        /// Changes the metadata of discovery.
        var changeMetadata: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        /// Changes the parameters of the redirect.
        var changeRedirect: @Sendable (inout [String: String]) -> Void = { _ in }
        /// Runs when a profile is requested.
        var onUserInfo: @Sendable () -> Void = {}
        /// Runs before each request for tokens is answered.
        var onTokens: @Sendable () -> Void = {}
        /// Runs after each revocation.
        var onRevocation: @Sendable (_ token: String) -> Void = { _ in }
        /// True if the answers with tokens are forms, not JSON.
        var answersWithForms = false
        /// Changes the answers to introspections and registrations.
        var changeIntrospection: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        var changeRegistration: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        /// The registrations so far.
        var registrations: [[String: JSONValue]] = []
        var signature = Signature.valid
        /// The type in the headers of ID tokens.
        var tokenType = "JWT"
        /// Changes the headers of ID tokens.
        var changeHeader: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        /// Changes the published keys.
        var changeKeys: @Sendable (inout [JSONValue]) -> Void = { _ in }
        /// Signs ID tokens with Ed25519, if set.
        var ed25519: Curve25519.Signing.PrivateKey?
        /// The user who signs in.
        var subject = "ada"
        /// The user of refreshed tokens, if different from the one who signed in.
        var impostor: String?
        var userInfoSubject: String?
        var keys = [SigningKey("first")]
        /// The published keys, if not all are published.
        var publishedKeys: [SigningKey]?
        var givesIDTokenAtRefresh = true
        var givesRefreshToken = true
        /// Indicates whether each refresh replaces the refresh token.
        var rotates = true
        var deviceAnswers: [String] = []
        /// Where the scope `offline_access` is refused, and with which word.
        var scopeRefusal: (place: RefusalPlace, word: String)?
        /// True if codes for devices need a challenge, as a client can be set to.
        var needsChallenge = false
        /// The form of the last request for a device code.
        var deviceForm: [String: String] = [:]
        /// The parameters of the sign-in pages that were opened, in order.
        var pages: [[String: String]] = []
        /// The requests so far, as `path` or `path grant_type`.
        var asked: [String] = []
        var forms: [[String: String]] = []
        /// The time limit of the last request of each kind.
        var times: [String: Duration] = [:]
        /// The authorization codes, with the parameters of their requests.
        fileprivate var codes: [String: [String: String]] = [:]
        /// The valid refresh tokens.
        var refreshTokens: Set<String> = []
        /// The users, by access token and refresh token.
        var subjects: [String: String] = [:]
        var revoked: Set<String> = []
        /// The reason why requests cannot be pushed.
        var pushRefusal: String?
        /// The pushed requests, by reference.
        fileprivate var pushed: [String: [String: String]] = [:]
        fileprivate var count = 0
    }

    enum RefusalPlace: Sendable, CaseIterable {
        case page
        case pushedRequest
        case code
        case device
        case poll
    }

    enum Signature {
        case valid
        case none
        case hmacOfPublicKey
        case ofOtherKey
        case garbled
    }

    struct SigningKey {
        let id: String
        let key = P256.Signing.PrivateKey()

        init(_ id: String) { self.id = id }

        var json: JSONValue {
            let point = key.publicKey.rawRepresentation
            return .object([
                "kty": .string("EC"), "crv": .string("P-256"), "use": .string("sig"), "kid": .string(id),
                "alg": .string("ES256"), "x": .string(Base64URL.encode(point.prefix(32))),
                "y": .string(Base64URL.encode(point.suffix(32))),
            ])
        }
    }

    let script = Mutex(Script())
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }

    func change(_ body: (inout Script) -> Void) { script.withLock { body(&$0) } }
    var asked: [String] { script.withLock { $0.asked } }
    func count(of question: String) -> Int { asked.count { $0 == question } }
    var lastForm: [String: String] { script.withLock { $0.forms.last ?? [:] } }

    // MARK: The network

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let form = Self.form(request.body.map { String(decoding: $0, as: UTF8.self) } ?? "")
        let whole = request.url.path
        let path = whole.hasPrefix("/.well-known/") ? whole : String(whole.dropFirst("/realm".count))
        let (answer, respond, question) = script.withLock { script in
            let question = form["grant_type"].map { "\(path) \($0)" } ?? path
            script.asked.append(question)
            script.times[question] = limits.exchange
            if request.body != nil { script.forms.append(form) }
            return (script.answers[path], script.respond, question)
        }
        if path == "/token" { script.withLock { $0.onTokens }() }
        let scripted = respond(question, form).map(Result<HTTPResponse, HTTPError>.success) ?? answer
        let response = try scripted?.get() ?? usual(question, form, request)
        if response.body.count > limits.body {
            throw HTTPError(.bodyTooLarge, "The answer is too large.", requestWasSent: true)
        }
        return response
    }

    private func usual(_ question: String, _ form: [String: String], _ request: HTTPRequest) -> HTTPResponse {
        switch question {
        case "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/realm": .json(metadata)
        case "/keys": .json(["keys": .array(keys)])
        case "/token authorization_code": exchange(form)
        case "/token refresh_token": refresh(form)
        case "/device": device(form)
        case "/token urn:ietf:params:oauth:grant-type:device_code": poll(form)
        case "/userinfo": userInfo(request)
        case "/revoke": revoke(form)
        case "/introspect": introspect(form)
        case "/register": register(request)
        case "/par": push(form)
        default: HTTPResponse(status: 404, body: Array("<html>".utf8))
        }
    }

    private var keys: [JSONValue] {
        script.withLock { script in
            var keys = (script.publishedKeys ?? script.keys).map(\.json)
            script.changeKeys(&keys)
            return keys
        }
    }

    private var metadata: [String: JSONValue] {
        let url = Self.issuerURL
        var metadata: [String: JSONValue] = [
            "issuer": .string(url), "authorization_endpoint": .string("\(url)/authorize"),
            "token_endpoint": .string("\(url)/token"), "jwks_uri": .string("\(url)/keys"),
            "userinfo_endpoint": .string("\(url)/userinfo"), "revocation_endpoint": .string("\(url)/revoke"),
            "end_session_endpoint": .string("\(url)/logout"), "device_authorization_endpoint": .string("\(url)/device"),
            "code_challenge_methods_supported": .array(["S256"]),
            "scopes_supported": .array(["openid", "offline_access"]),
            "authorization_response_iss_parameter_supported": .bool(true),
        ]
        script.withLock { $0.changeMetadata }(&metadata)
        return metadata
    }

    // MARK: The user

    /// Signs in at the page that the browser was sent to; returns the parameters of the redirect.
    func authorize(_ url: URL) -> [String: String] {
        let visible = Self.form(URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery ?? "")
        let (code, query) = script.withLock { script in
            script.count += 1
            // A reference is valid once.
            let query = visible["request_uri"].map { script.pushed.removeValue(forKey: $0) ?? [:] } ?? visible
            script.codes["code-\(script.count)"] = query
            script.pages.append(query)
            return ("code-\(script.count)", query)
        }
        var items = ["code": code, "state": query["state"] ?? "", "iss": Self.issuerURL]
        if let word = scopeRefusal(at: .page, query) { (items["code"], items["error"]) = (nil, word) }
        script.withLock { $0.changeRedirect }(&items)
        return items
    }

    /// Returns the word with which a request for `offline_access` is refused in a place.
    private func scopeRefusal(at place: RefusalPlace, _ form: [String: String]) -> String? {
        guard form["scope"]?.split(separator: " ").contains("offline_access") == true else { return nil }
        return script.withLock { $0.scopeRefusal }.flatMap { $0.place == place ? $0.word : nil }
    }

    private func push(_ form: [String: String]) -> HTTPResponse {
        if let word = scopeRefusal(at: .pushedRequest, form) { return .refusal(word) }
        return script.withLock { script in
            if let word = script.pushRefusal { return .refusal(word) }
            script.count += 1
            let reference = "urn:ietf:params:oauth:request_uri:\(script.count)"
            script.pushed[reference] = form
            return .json(["request_uri": .string(reference), "expires_in": 60], status: 201)
        }
    }

    // MARK: Tokens

    private func exchange(_ form: [String: String]) -> HTTPResponse {
        let asked = script.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
        guard let asked, asked["redirect_uri"] == form["redirect_uri"],
            asked["code_challenge"] == Self.challenge(of: form)
        else { return .refusal("invalid_grant") }
        if let word = scopeRefusal(at: .code, asked) { return .refusal(word) }
        return tokens(for: script.withLock { $0.subject }, nonce: asked["nonce"], scope: nil)
    }

    private func refresh(_ form: [String: String]) -> HTTPResponse {
        let token = form["refresh_token"] ?? ""
        // With rotation, a token is valid once.
        let subject = script.withLock { script in
            let known = script.rotates ? script.refreshTokens.remove(token) : script.refreshTokens.first { $0 == token }
            return known.flatMap { script.impostor ?? script.subjects[$0] }
        }
        guard let subject else { return .refusal("invalid_grant") }
        let (givesIDToken, rotates) = script.withLock { ($0.givesIDTokenAtRefresh, $0.rotates) }
        return tokens(for: subject, nonce: nil, scope: form["scope"], withID: givesIDToken, rotating: rotates)
    }

    private static func challenge(of form: [String: String]) -> String {
        Base64URL.encode(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8)))
    }

    private func device(_ form: [String: String]) -> HTTPResponse {
        if let word = scopeRefusal(at: .device, form) { return .refusal(word) }
        let needsChallenge = script.withLock { script in
            script.deviceForm = form
            return script.needsChallenge
        }
        if needsChallenge, form["code_challenge_method"] != "S256" { return .refusal("invalid_request") }
        return .json([
            "device_code": "device", "user_code": "ABCD-EFGH", "verification_uri": "https://issuer.example/device",
            "expires_in": 600, "interval": 5,
        ])
    }

    private func poll(_ form: [String: String]) -> HTTPResponse {
        let (asked, needsChallenge) = script.withLock { ($0.deviceForm, $0.needsChallenge) }
        if needsChallenge, asked["code_challenge"] != Self.challenge(of: form) { return .refusal("invalid_grant") }
        if let word = scopeRefusal(at: .poll, asked) { return .refusal(word) }
        let word = script.withLock { $0.deviceAnswers.isEmpty ? nil : $0.deviceAnswers.removeFirst() }
        return word.map { .refusal($0) } ?? tokens(for: script.withLock { $0.subject }, nonce: nil, scope: nil)
    }

    private func tokens(
        for subject: String,
        nonce: String?,
        scope: String?,
        withID: Bool = true,
        rotating: Bool = true
    ) -> HTTPResponse {
        let (number, gives) = script.withLock { script in
            script.count += 1
            let gives = script.givesRefreshToken && rotating
            if gives { script.refreshTokens.insert("refresh-\(script.count)") }
            for kind in ["access", "refresh"] { script.subjects["\(kind)-\(script.count)"] = subject }
            return (script.count, gives)
        }
        var answer: [String: JSONValue] = [
            "access_token": .string("access-\(number)"), "token_type": "bearer", "expires_in": "3600",
        ]
        if gives { answer["refresh_token"] = .string("refresh-\(number)") }
        if let scope { answer["scope"] = .string(scope) }
        if withID { answer["id_token"] = .string(idToken(for: subject, nonce: nonce, accessToken: "access-\(number)")) }
        let (change, isForm) = script.withLock { ($0.changeTokens, $0.answersWithForms) }
        change(&answer)
        return isForm ? .form(answer) : .json(answer)
    }

    func idToken(for subject: String = "ada", nonce: String?, accessToken: String) -> String {
        let issued = now.timeIntervalSince1970
        let (change, signature, keys, type) = script.withLock {
            ($0.changeClaims, $0.signature, $0.keys, $0.tokenType)
        }
        let (changeHeader, ed25519) = script.withLock { ($0.changeHeader, $0.ed25519) }
        let bytes = Array(accessToken.utf8)
        let half =
            ed25519 == nil ? Array(SHA256.hash(data: bytes).prefix(16)) : Array(SHA512.hash(data: bytes).prefix(32))
        var claims: [String: JSONValue] = [
            "iss": .string(Self.issuerURL), "aud": .string("desktop"), "sub": .string(subject), "iat": .number(issued),
            "exp": .number(issued + 3600), "at_hash": .string(Base64URL.encode(half)), "name": "Ada",
            "email": "ada@example.com", "email_verified": .bool(true), "preferred_username": "ada.l",
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        change(&claims)
        let algorithm =
            switch signature {
            case .none: "none"
            case .hmacOfPublicKey: "HS256"
            default: "ES256"
            }
        var header: [String: JSONValue] = [
            "alg": .string(algorithm), "kid": .string(keys[0].id), "typ": .string(type),
        ]
        changeHeader(&header)
        let text = "\(Self.part(.object(header))).\(Self.part(.object(claims)))"
        if let signature = try? ed25519?.signature(for: Array(text.utf8)) {
            return "\(text).\(Base64URL.encode(signature))"
        }
        return "\(text).\(Self.signature(of: text, signature, keys[0].key))"
    }

    private static func signature(of text: String, _ kind: Signature, _ key: P256.Signing.PrivateKey) -> String {
        let bytes = Array(text.utf8)
        switch kind {
        case .none: return ""
        case .hmacOfPublicKey:
            let secret = SymmetricKey(data: Array(key.publicKey.pemRepresentation.utf8))
            return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
        case .valid, .ofOtherKey, .garbled:
            let key = kind == .ofOtherKey ? P256.Signing.PrivateKey() : key
            guard let signature = try? key.signature(for: bytes).rawRepresentation else { return "" }
            return Base64URL.encode(kind == .garbled ? Array(signature.reversed()) : Array(signature))
        }
    }

    private static func part(_ value: JSONValue) -> String {
        Base64URL.encode((try? JSONEncoder().encode(value)) ?? Data())
    }

    // MARK: The session

    private func userInfo(_ request: HTTPRequest) -> HTTPResponse {
        script.withLock { $0.onUserInfo }()
        let token = String((request.headers["Authorization"] ?? "").dropFirst("Bearer ".count))
        let subject = script.withLock { script in script.subjects[token].map { script.userInfoSubject ?? $0 } }
        guard let subject else { return HTTPResponse(status: 401) }
        var info: [String: JSONValue] = ["sub": .string(subject), "name": "Ada Lovelace", "phone_number": "+44 1"]
        script.withLock { $0.changeUserInfo }(&info)
        return .json(info)
    }

    private func revoke(_ form: [String: String]) -> HTTPResponse {
        script.withLock { script in
            script.revoked.insert(form["token"] ?? "")
            script.refreshTokens.remove(form["token"] ?? "")
        }
        script.withLock { $0.onRevocation }(form["token"] ?? "")
        return HTTPResponse(status: 200)
    }

    private static func form(_ text: String) -> [String: String] {
        var form: [String: String] = [:]
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0).removingPercentEncoding ?? ""
            }
            form[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return form
    }
}
