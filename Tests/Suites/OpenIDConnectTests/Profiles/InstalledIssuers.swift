import SharedAuth
import SharedAuthHTTP

@testable import OpenIDConnect

/// Identity providers that anyone can install, each cited by files of its source. The algorithms are the scripted
/// issuer's own, ES256 and Ed25519.
extension DeployedIssuer {
    static let all = [keycloak, formerKeycloak, consentWithdrawn, dex, authentik, zitadel, ory, gitLab] + hosted

    /// keycloak/keycloak, services/src/main/java/org/keycloak/protocol/oidc:
    /// - OIDCWellKnownProvider: no `none` among the methods of the revocation endpoint; pushed requests.
    /// - TokenManager.AccessTokenResponseBuilder: the other members; `auth_time` is that of the user session, which a
    ///   later login of another client moves (spring-security#18839).
    /// - grants/RefreshTokenGrantType, TokenManager.refreshAccessToken: `invalid_scope`, `invalid_grant`.
    /// - grants/device/DeviceGrantType; endpoints/TokenRevocationEndpoint: `invalid_token` with status 200.
    static let keycloak = DeployedIssuer(
        name: "Keycloak",
        metadata: [
            "pushed_authorization_request_endpoint": .string("\(ScriptedIssuer.issuerURL)/par"),
            "require_pushed_authorization_requests": .bool(false),
            "id_token_signing_alg_values_supported": .array(["PS384", "EdDSA", "HS256", "ES256", "RS256", "ES512"]),
            "token_endpoint_auth_methods_supported": .array(["private_key_jwt", "client_secret_basic"]),
            "revocation_endpoint_auth_methods_supported": .array(["private_key_jwt", "client_secret_basic"]),
            "code_challenge_methods_supported": .array(["plain", "S256"]),
            "scopes_supported": .array(["openid", "acr", "address", "email", "offline_access", "profile", "roles"]),
            "mtls_endpoint_aliases": .object(["token_endpoint": .string("\(ScriptedIssuer.issuerURL)/token")]),
        ],
        otherKeys: [
            .object([
                "kid": "enc", "kty": "RSA", "alg": "RSA-OAEP", "use": "enc", "e": "AQAB",
                "n": .string(Base64URL.encode([UInt8](repeating: 0xC5, count: 256))), "x5c": .array(["MIICmzCCAYMC"]),
            ])
        ],
        expiresIn: 300,
        idTokenLifetime: 300,
        tokenMembers: ["refresh_expires_in": 1800, "not-before-policy": 0, "session_state": "0d6bb8a4"],
        claims: ["azp": "desktop", "typ": "ID", "sid": "0d6bb8a4", "acr": "1"],
        givesAuthTime: true,
        movesAuthTime: true,
        revocation: Revocation(unknown: Refusal("invalid_token", status: 200))
    )

    /// Versions until 24 ignored the scopes of a refresh (keycloak/keycloak#24323), and kept the nonce (TokenManager
    /// .validateToken).
    static let formerKeycloak = keycloak.changed("version 23") { profile in
        profile.namedScopes = .ofSignIn
        profile.unknownScope = nil
        profile.keepsNonce = true
    }

    /// TokenManager.validateToken, at a refresh without scopes: "Client no longer has requested consent from user".
    static let consentWithdrawn = keycloak.changed("consent withdrawn") { profile in
        profile.deadSession = Refusal("invalid_scope")
    }

    /// dexidp/dex: server/grants/refresh.go (refreshLookupError, refreshScopes: `invalid_request` for both, the nonce of
    /// the sign-in), server/grants/devicecode.go (nothing for a person who declines), server/discovery/discovery.go (no
    /// revocation endpoint), dex#2613.
    static let dex = DeployedIssuer(
        name: "Dex",
        metadata: [
            "end_session_endpoint": nil, "authorization_response_iss_parameter_supported": nil,
            "scopes_supported": .array(["openid", "email", "groups", "profile", "offline_access"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_basic", "client_secret_post"]),
            "code_challenge_methods_supported": .array(["S256", "plain"]),
        ],
        scopes: ["openid", "profile", "email", "offline_access"],
        tokenType: "bearer",
        expiresIn: 86399,
        idTokenLifetime: 86400,
        namedScopes: .none,
        keepsNonce: true,
        deadSession: Refusal("invalid_request", ["error_description": "Refresh token expired."]),
        outage: Refusal("invalid_request", status: 500),
        unknownScope: Refusal("invalid_request"),
        device: Device(
            declined: nil,
            codes: ["verification_uri_complete": "https://issuer.example/device?user_code=ABCD-EFGH"]
        ),
        revocation: nil
    )

    /// goauthentik/authentik, authentik/providers/oauth2/views: token.py (`invalid_scope` unless `offline_access` is
    /// among the scopes of a refresh, whose response names those of the sign-in; an unknown device code is
    /// `invalid_grant`), token_revoke.py (success for unknown tokens), provider.py (an issuer with a slash at its end).
    static let authentik = DeployedIssuer(
        name: "Authentik",
        issuerURL: "\(ScriptedIssuer.issuerURL)/",
        metadata: [
            "authorization_response_iss_parameter_supported": nil,
            "scopes_supported": .array(["openid", "email", "profile", "offline_access"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_post", "client_secret_basic"]),
            "claims_parameter_supported": .bool(false), "request_parameter_supported": .bool(false),
            "id_token_signing_alg_values_supported": .array(["ES256"]),
        ],
        scopes: ["openid", "profile", "email", "offline_access"],
        expiresIn: 300,
        idTokenLifetime: 300,
        namedScopes: .ofSignIn,
        claims: ["acr": "goauthentik.io/providers/oauth2/default", "amr": .array(["pwd"]), "uid": "Vw3"],
        givesAuthTime: true,
        narrowerScopes: ["email", "offline_access"],
        device: Device(slowDown: nil, expired: Refusal("invalid_grant")),
        revocation: Revocation(success: .json([:])),
        userInfo: .claims(["groups": .array(["users"]), "nickname": "ada"])
    )

    /// zitadel/oidc, pkg/op: token.go (audiences besides the client, `azp`; no claims about the person with an access
    /// token; no nonce at a refresh), token_refresh.go, device.go, userinfo.go (plain text with status 401),
    /// token_revocation.go (`null`), keys.go (EdDSA).
    static let zitadel = DeployedIssuer(
        name: "Zitadel",
        metadata: [
            "authorization_response_iss_parameter_supported": nil,
            "id_token_signing_alg_values_supported": .array(["EdDSA", "RS256"]),
            "token_endpoint_auth_methods_supported": .array(["none", "client_secret_basic", "private_key_jwt"]),
            "revocation_endpoint_auth_methods_supported": .array(["none", "client_secret_basic"]),
            "ui_locales_supported": .array(["de", "en"]),
        ],
        ed25519: "EdDSA",
        scopes: ["openid", "profile", "email", "offline_access"],
        expiresIn: 43199,
        idTokenLifetime: 43200,
        claims: [
            "aud": .array(["desktop", "260148"]), "azp": "desktop", "name": nil, "email": nil, "email_verified": nil,
            "preferred_username": nil, "amr": .array(["pwd"]),
        ],
        givesAuthTime: true,
        device: Device(codes: ["verification_uri_complete": "https://issuer.example/device?user_code=ABCD-EFGH"]),
        revocation: Revocation(success: HTTPResponse(status: 200, body: Array("null".utf8))),
        userInfo: .claims(["email": "ada@example.com", "locale": "en", "updated_at": 1_800_000_000]),
        userInfoRefusal: HTTPResponse(status: 401, body: Array("access token invalid\n".utf8))
    )

    /// ory/hydra: fosite/handler/oauth2/flow_refresh.go (ignores the scopes of a refresh),
    /// fosite/handler/openid/flow_refresh_token.go (the nonce of the sign-in), fosite/errors.go (`access_denied` with
    /// status 403), oauth2/handler.go (signed UserInfo; the discovery document), fosite/revoke_handler.go.
    static let ory = DeployedIssuer(
        name: "Ory",
        metadata: [
            "authorization_response_iss_parameter_supported": nil,
            "scopes_supported": .array(["offline_access", "offline", "openid"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_post", "client_secret_basic", "none"]),
            "id_token_signed_response_alg": .array(["ES256"]), "userinfo_signed_response_alg": .array(["ES256"]),
            "code_challenge_methods_supported": .array(["plain", "S256"]),
            "credentials_supported_draft_00": .array([.object(["format": "jwt_vc_json"])]),
        ],
        scopes: ["openid", "offline_access", "email"],
        tokenType: "bearer",
        expiresIn: 3599,
        namedScopes: .ofSignIn,
        claims: [
            "aud": .array(["desktop"]), "rat": 1_800_000_000, "jti": "3b3e4f9c", "sid": "6a1c", "amr": .array([]),
        ],
        givesAuthTime: true,
        keepsNonce: true,
        deadSession: Refusal(
            "invalid_grant",
            ["error_hint": "The refresh token was already used.", "status_code": 400]
        ),
        outage: Refusal("temporarily_unavailable", status: 503),
        unknownScope: nil,
        device: Device(declined: Refusal("access_denied", status: 403)),
        userInfo: .signed,
        userInfoRefusal: Refusal("request_unauthorized", status: 401).response
    )

    /// gitlabhq/gitlabhq, config/initializers/doorkeeper_openid_connect.rb (`auth_time` is the user's last sign-in,
    /// tokens of two minutes); doorkeeper-gem/doorkeeper, lib/doorkeeper/oauth/{refresh_token_request,token_response}.rb
    /// and app/controllers/doorkeeper/tokens_controller.rb; doorkeeper-gem/doorkeeper-openid_connect,
    /// lib/doorkeeper/openid_connect/oauth/token_response.rb (no nonce); goharbor/harbor#8069 (ID tokens left out).
    static let gitLab = DeployedIssuer(
        name: "GitLab",
        metadata: [
            "authorization_response_iss_parameter_supported": .bool(false), "end_session_endpoint": nil,
            "scopes_supported": .array(["api", "read_user", "openid", "profile", "email"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_basic", "client_secret_post"]),
            "id_token_signing_alg_values_supported": .array(["ES256"]),
            "code_challenge_methods_supported": .array(["plain", "S256"]),
        ],
        expiresIn: 7200,
        idTokenLifetime: 120,
        tokenMembers: ["created_at": 1_800_000_000],
        claims: ["sub_legacy": "6f1e", "groups_direct": .array(["tools"])],
        givesAuthTime: true,
        movesAuthTime: true,
        idTokenAtRefresh: .everySecond,
        device: nil,
        revocation: Revocation(success: .json([:])),
        userInfo: .claims(["groups": .array(["tools"]), "website": ""])
    )
}
