import Crypto
import Foundation

/// An OpenID provider at the server of a ``SmallFirebase``, which signs in whoever comes.
struct SmallIssuer {
    /// How `--oidc` names it.
    let url: String
    private let server: SmallFirebase
    private let key = P256.Signing.PrivateKey()

    init(on server: SmallFirebase) {
        self.server = server
        let url = "http://\(server.address)"
        self.url = url
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Self.text(point.prefix(32)), Self.text(point.suffix(32)))
        server.change {
            $0.others["openid-configuration"] =
                #"{"issuer": "\#(url)", "authorization_endpoint": "\#(url)/page", "token_endpoint": "\#(url)/exchange", "jwks_uri": "\#(url)/keys", "code_challenge_methods_supported": ["S256"]}"#
            $0.others["keys"] =
                #"{"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "kid": "k", "alg": "ES256", "x": "\#(x)", "y": "\#(y)"}]}"#
        }
    }

    /// Lets the next exchange of a code give an ID token with this nonce.
    func signIn(nonce: String) throws {
        let now = Int(Date().timeIntervalSince1970)
        let claims =
            #"{"iss":"\#(url)","aud":"desktop","sub":"ada","iat":\#(now),"exp":\#(now + 600),"nonce":"\#(nonce)"}"#
        let head = Self.text(Data(#"{"alg":"ES256","kid":"k"}"#.utf8))
        let text = "\(head).\(Self.text(Data(claims.utf8)))"
        let signature = try key.signature(for: Data(text.utf8)).rawRepresentation
        server.change {
            $0.others["exchange"] =
                #"{"id_token": "\#(text).\#(Self.text(signature))", "access_token": "a", "token_type": "Bearer"}"#
        }
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
