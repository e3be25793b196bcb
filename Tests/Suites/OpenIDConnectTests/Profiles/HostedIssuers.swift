import SharedAuth
import SharedAuthHTTP

@testable import OpenIDConnect

/// Identity providers that nobody can install, each cited by pages of its documentation or by public reports. What they
/// do not say is as RFC 6749, 7009 and 8628 have it.
extension DeployedIssuer {
    static let hosted = [entra, secondFactor, google, cognito, okta, auth0]

    /// MicrosoftDocs/entra-docs, docs/identity-platform: v2-oauth2-device-code.md (`authorization_declined`), and
    /// v2-protocols-oidc.md (no revocation endpoint, no methods of PKCE). python-o365#323, fastmcp#2468: scopes
    /// without consent are `invalid_grant`; gargle#60: other names of scopes. Its keys have no `alg`.
    static let entra = DeployedIssuer(
        name: "Entra",
        metadata: [
            "code_challenge_methods_supported": nil, "authorization_response_iss_parameter_supported": nil,
            "scopes_supported": .array(["openid", "profile", "email", "offline_access"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_post", "private_key_jwt"]),
            "kerberos_endpoint": .string("\(ScriptedIssuer.issuerURL)/kerberos"), "tenant_region_scope": "EU",
            "cloud_instance_name": "issuer.example", "http_logout_supported": .bool(true),
        ],
        missingKeyLabels: ["alg"],
        otherKeys: [ScriptedIssuer.SigningKey("next").json],
        scopes: ["openid", "profile", "email", "offline_access", "User.Read"],
        expiresIn: 3599,
        tokenMembers: ["ext_expires_in": 3599],
        namesOfScopes: ["User.Read": "https://graph.example/User.Read"],
        claims: [
            "at_hash": nil, "email_verified": nil, "aio": "AVQAq/8", "oid": "0000-1", "tid": "9122040d", "ver": "2.0",
            "uti": "Ky6", "rh": "0.AX",
        ],
        idTokenAtRefresh: .withScopeOpenID,
        deadSession: Refusal("invalid_grant", ["suberror": "bad_token", "error_codes": .array([700082])]),
        unknownScope: Refusal("invalid_grant", ["suberror": "consent_required", "error_codes": .array([65001])]),
        narrowerScopes: ["User.Read"],
        device: Device(
            slowDown: nil,
            declined: Refusal("authorization_declined"),
            codes: ["message": "To sign in, use a web browser.", "expires_in": 900]
        ),
        revocation: nil,
        userInfo: .claims(["family_name": "Lovelace", "picture": "https://graph.example/v1.0/me/photo/$value"])
    )

    /// v2-oauth2-auth-code-flow.md (`interaction_required` for a refresh) and v2-oauth2-device-code.md
    /// (`bad_verification_code`).
    static let secondFactor = entra.changed("second factor required") { profile in
        profile.deadSession = Refusal("interaction_required", ["suberror": "basic_action"])
        profile.outage = Refusal("temporarily_unavailable", status: 503)
        profile.device?.expired = Refusal("bad_verification_code")
    }

    /// developers.google.com, identity/protocols/oauth2/limited-input-device (statuses 428 and 403, `verification_url`)
    /// and native-app (a secret; no rotation; revoking an access token revokes the refresh token);
    /// googleapis/google-auth-library-nodejs#1175 and simonw/google-drive-to-sqlite#16 (revoked tokens);
    /// requests-oauthlib#387 (other names of scopes).
    static let google = DeployedIssuer(
        name: "Google",
        metadata: [
            "authorization_response_iss_parameter_supported": nil, "end_session_endpoint": nil,
            "scopes_supported": .array(["openid", "email", "profile"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_post", "client_secret_basic"]),
            "code_challenge_methods_supported": .array(["plain", "S256"]),
        ],
        otherKeys: [ScriptedIssuer.SigningKey("next").json],
        clientSecret: "GOCSPX",
        expiresIn: 3599,
        namesOfScopes: [
            "email": "https://www.googleapis.example/auth/userinfo.email",
            "profile": "https://www.googleapis.example/auth/userinfo.profile",
        ],
        claims: ["azp": "desktop", "hd": "example.com", "given_name": "Ada"],
        rotates: false,
        deadSession: Refusal("invalid_grant", ["error_description": "Token has been expired or revoked."]),
        device: Device(
            pending: Refusal("authorization_pending", status: 428),
            slowDown: Refusal("slow_down", status: 403),
            declined: Refusal("access_denied", status: 403),
            codes: ["verification_uri": nil, "verification_url": "https://issuer.example/device", "expires_in": 1800]
        ),
        revocation: Revocation(
            unknown: Refusal("invalid_token"),
            endsSessionWithAccessToken: true,
            success: .json([:])
        ),
        userInfo: .claims(["picture": "https://issuer.example/a/photo=s96-c", "email_verified": .bool(true)]),
        userInfoRefusal: Refusal("invalid_request", status: 401).response
    )

    /// awsdocs/amazon-cognito-developer-guide, doc_source/token-endpoint.md (`scope` only for another grant; no refresh
    /// token at a refresh; no scopes in responses) and the page of the revocation endpoint (`unsupported_token_type`);
    /// oidc-client-ts#2107 (a later `auth_time`). UserInfo has `email_verified` as a text.
    static let cognito = DeployedIssuer(
        name: "Cognito",
        metadata: [
            "code_challenge_methods_supported": nil, "authorization_response_iss_parameter_supported": nil,
            "scopes_supported": .array(["openid", "email", "phone", "profile"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_basic", "client_secret_post"]),
        ],
        otherKeys: [ScriptedIssuer.SigningKey("access").json],
        namedScopes: .none,
        claims: ["token_use": "id", "cognito:username": "ada", "origin_jti": "4c1e", "event_id": "77aa"],
        givesAuthTime: true,
        movesAuthTime: true,
        rotates: false,
        unknownScope: nil,
        device: nil,
        revocation: Revocation(accessToken: Refusal("unsupported_token_type")),
        userInfo: .claims(["email_verified": "true", "username": "ada"])
    )

    /// okta/okta-developer-docs, packages/@okta/vuepress-site/docs: guides/device-authorization-grant (a description
    /// that says "try again later"), guides/refresh-tokens, reference/api/oidc (`invalid_scope`, `none` for revocation,
    /// an ID token only with `openid`).
    static let okta = DeployedIssuer(
        name: "Okta",
        metadata: [
            "pushed_authorization_request_endpoint": .string("\(ScriptedIssuer.issuerURL)/par"),
            "scopes_supported": .array(["openid", "profile", "email", "address", "phone", "offline_access"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_basic", "private_key_jwt", "none"]),
            "revocation_endpoint_auth_methods_supported": .array(["client_secret_basic", "none"]),
            "dpop_signing_alg_values_supported": .array(["RS256", "ES256"]),
        ],
        scopes: ["openid", "profile", "email", "offline_access"],
        claims: ["ver": 1, "jti": "ID.1", "amr": .array(["pwd", "mfa"]), "idp": "00o1"],
        givesAuthTime: true,
        idTokenAtRefresh: .withScopeOpenID,
        deadSession: Refusal("invalid_grant", ["error_description": "The refresh token is invalid or expired."]),
        device: Device(
            pending: Refusal(
                "authorization_pending",
                ["error_description": "The device authorization is pending. Please try again later."]
            )
        )
    )

    /// auth0.com/docs: the flow of devices (status 403, and 429 for `slow_down`: auth0/ruby-auth0#794), the support
    /// article about an unknown refresh token (status 403), revoking refresh tokens. The issuer has a slash at its end;
    /// ID tokens last ten hours; UserInfo refuses in plain text.
    static let auth0 = DeployedIssuer(
        name: "Auth0",
        issuerURL: "\(ScriptedIssuer.issuerURL)/",
        metadata: [
            "authorization_response_iss_parameter_supported": nil,
            "id_token_signing_alg_values_supported": .array(["HS256", "RS256", "ES256"]),
            "scopes_supported": .array(["openid", "profile", "offline_access", "name", "email", "phone"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_basic", "client_secret_post"]),
            "mfa_challenge_endpoint": .string("\(ScriptedIssuer.issuerURL)/mfa/challenge"),
        ],
        otherKeys: [ScriptedIssuer.SigningKey("next").json],
        scopes: ["openid", "profile", "email", "offline_access"],
        expiresIn: 86400,
        idTokenLifetime: 36000,
        claims: ["at_hash": nil, "sid": "mYjk", "nickname": "ada", "updated_at": "2027-01-15T08:00:00.000Z"],
        deadSession: Refusal(
            "invalid_grant",
            status: 403,
            ["error_description": "Unknown or invalid refresh token."]
        ),
        outage: Refusal("too_many_requests", status: 429),
        device: Device(
            pending: Refusal("authorization_pending", status: 403),
            slowDown: Refusal("slow_down", status: 429),
            declined: Refusal("access_denied", status: 403),
            expired: Refusal("expired_token", status: 403)
        ),
        userInfo: .claims(["updated_at": "2027-01-15T08:00:00.000Z", "picture": "https://s.example/ada.png"]),
        userInfoRefusal: HTTPResponse(status: 401, body: Array("Unauthorized".utf8))
    )
}
