internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// The secrets of one sign-in (RFC 7636, OpenID Connect Core §3.1.2.1): made for it alone, and kept in memory only.
struct SignInSecrets: Sendable {
    /// Comes back with the redirect.
    let state: String
    /// The nonce before it is hashed, with which a back end that takes the ID token compares the token's.
    let rawNonce: String
    /// Proves that who asks for the tokens is who asked for the sign-in.
    let verifier: String

    init(_ random: (_ count: Int) -> [UInt8]) {
        state = Base64URL.encode(random(32))
        rawNonce = Base64URL.encode(random(32))
        verifier = Base64URL.encode(random(32))
    }

    /// The code challenge of the method S256.
    var challenge: String { Base64URL.encode(SHA256.hash(data: Array(verifier.utf8))) }

    /// The nonce of the request.
    var nonce: String { Self.nonce(rawNonce) }

    /// Returns the ID token's nonce for a raw nonce: its SHA-256 in hexadecimal digits, as Firebase's back end compares
    /// it, too.
    static func nonce(_ rawNonce: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = SHA256.hash(data: Array(rawNonce.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A request for a sign-in, as the browser opens it.
struct AuthorizationRequest: Sendable {
    /// Parameters that are set here; an app cannot change them.
    static let ownParameters: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri",
    ]

    let clientID: String
    let redirectURI: String
    let scopes: [String]
    /// Whether an ID token is to be had, which then has a nonce.
    let isOpenID: Bool
    /// Parameters that the app adds, such as `prompt` and `login_hint`.
    let parameters: [String: String]

    /// The parameters of the request.
    ///
    /// - Throws: `operationNotAllowed` if the app adds a parameter that is set here.
    func items(_ secrets: SignInSecrets) throws(AuthError) -> [(name: String, value: String)] {
        if let taken = parameters.keys.sorted().first(where: Self.ownParameters.contains) {
            throw AuthError(
                .operationNotAllowed,
                "The parameter \(taken) of a sign-in is set by SharedAuth. Leave it out."
            )
        }
        var items = [
            (name: "response_type", value: "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
            ("state", secrets.state), ("code_challenge", secrets.challenge), ("code_challenge_method", "S256"),
        ]
        if !scopes.isEmpty { items.append(("scope", scopes.joined(separator: " "))) }
        if isOpenID { items.append(("nonce", secrets.nonce)) }
        return items + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The largest age of the sign-in in seconds, if the app set one: then the ID token has to say when the person signed in.
    var maxAge: Int? { parameters["max_age"].flatMap { Int($0) } }
}
