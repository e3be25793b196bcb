internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// The secrets of one sign-in (RFC 7636, OpenID Connect Core §3.1.2.1), created for that sign-in and kept in memory
/// only.
struct SignInSecrets: Sendable {
    /// The `state` parameter, which the redirect repeats.
    let state: String
    /// The nonce before hashing. A back end compares its hash with the ID token's nonce.
    let rawNonce: String
    /// The PKCE verifier: proves that the client that requests the tokens also started the sign-in.
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

    /// Returns the ID token's nonce for a raw nonce: its SHA-256 in hexadecimal digits, which Firebase's back end also
    /// compares.
    static func nonce(_ rawNonce: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = SHA256.hash(data: Array(rawNonce.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A sign-in request, as the browser opens it.
struct AuthorizationRequest: Sendable {
    /// The parameters that SharedAuth sets; an app cannot change them.
    static let ownParameters: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri",
    ]

    let clientID: String
    let redirectURI: String
    let scopes: [String]
    /// True if the request is for an ID token, which then has a nonce.
    let isOpenID: Bool
    /// The parameters that the app adds, such as `prompt` and `login_hint`.
    let parameters: [String: String]

    /// Returns the parameters of the request.
    ///
    /// - Throws: `operationNotAllowed` if the app adds a parameter that SharedAuth sets.
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

    /// The maximum age of the sign-in in seconds, if the app set one. The ID token must then say when the user signed
    /// in.
    var maxAge: Int? { parameters["max_age"].flatMap { Int($0) } }
}
