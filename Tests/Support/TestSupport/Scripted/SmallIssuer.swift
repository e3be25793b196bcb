internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// The documents and tokens of an OpenID provider at which `ada` signs in to the client `desktop`. The test serves
/// them.
package struct SmallIssuer: Sendable {
    /// The provider's address, which tokens name.
    package let url: String
    private let key = P256.Signing.PrivateKey()

    package init(url: String) { self.url = url }

    /// The provider's configuration as JSON, with the endpoints `authorize`, `exchange` and `keys` below its address.
    package var configuration: String {
        #"{"issuer": "\#(url)", "authorization_endpoint": "\#(url)/authorize", "token_endpoint": "\#(url)/exchange", "jwks_uri": "\#(url)/keys", "code_challenge_methods_supported": ["S256"]}"#
    }

    /// The key that verifies the tokens, as JSON.
    package var keys: String {
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
        return
            #"{"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "kid": "k", "alg": "ES256", "x": "\#(x)", "y": "\#(y)"}]}"#
    }

    /// Returns the response to the exchange of a code, as JSON: an ID token with this nonce, and an access token.
    ///
    /// - Parameter haveExpired: Whether the ID token has just expired, as far as clocks may differ, and comes alone.
    package func tokens(nonce: String, haveExpired: Bool = false) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let (issued, expires) = haveExpired ? (now - 60, now - 10) : (now, now + 600)
        let claims =
            #"{"iss":"\#(url)","aud":"desktop","sub":"ada","iat":\#(issued),"exp":\#(expires),"nonce":"\#(nonce)"}"#
        let text = [#"{"alg":"ES256","kid":"k"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(
            separator: "."
        )
        let signature = try key.signature(for: Array(text.utf8)).rawRepresentation
        let idToken = "\(text).\(Base64URL.encode(signature))"
        if haveExpired { return #"{"id_token": "\#(idToken)", "token_type": "Bearer"}"# }
        return
            #"{"id_token": "\#(idToken)", "access_token": "there", "token_type": "Bearer", "expires_in": 600}"#
    }
}
