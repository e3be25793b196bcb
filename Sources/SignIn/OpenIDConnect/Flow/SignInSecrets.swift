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

    /// The parameters of a request that bind it to the verifier.
    var challengeItems: [(name: String, value: String)] {
        [("code_challenge", challenge), ("code_challenge_method", "S256")]
    }

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
    let clientID: String
    let redirectURI: String
    /// The scopes that the app asks for.
    let scopes: [String]
    /// The scope that is added.
    let added: String?
    /// True if the request is for an ID token, which then has a nonce.
    let isOpenID: Bool
    let parameters: SignInParameters

    /// All scopes.
    var allScopes: [String] { scopes + (added.map { [$0] } ?? []) }

    /// Returns the parameters of the request.
    func items(_ secrets: SignInSecrets) -> [(name: String, value: String)] {
        var items = [
            (name: "response_type", value: "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
            ("state", secrets.state),
        ]
        items += secrets.challengeItems
        if !allScopes.isEmpty { items.append(("scope", allScopes.joined(separator: " "))) }
        if isOpenID {
            items.append(("nonce", secrets.nonce))
            if let prompt = parameters.prompt(for: scopes) { items.append(("prompt", prompt)) }
        }
        return items + parameters.items
    }
}
