internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A server's endpoints and capabilities, from discovery (OpenID Connect Discovery §3, RFC 8414).
struct ServerMetadata: Sendable, Hashable {
    var issuerURL: String?
    var authorizationEndpoint: WebAddress?
    var tokenEndpoint: WebAddress
    var keysAddress: WebAddress?
    var userInfoEndpoint: WebAddress?
    var revocationEndpoint: WebAddress?
    /// True if a client without a secret may revoke tokens. This is the default, as many servers do not say.
    var revokesForPublicClients = true
    var endSessionEndpoint: WebAddress?
    var deviceEndpoint: WebAddress?
    /// The endpoint for pushed authorization requests (RFC 9126).
    var pushedRequestEndpoint: WebAddress?
    /// True if the server accepts only pushed requests.
    var requiresPushedRequests = false
    /// True if the server is on this machine, so that its endpoints may be too.
    var isLocal = false
    var supportedScopes: [String]?
    /// The algorithms that sign ID tokens, if the server lists them.
    var signingAlgorithms: [String]?
    /// True if the redirect names the issuer (RFC 9207).
    var namesIssuer = false
    /// True if a client must send its secret in the form (`client_secret_post`); the default is the header.
    var takesSecretInForm = false

    /// Returns the URL of an issuer's discovery document.
    static func address(of issuerURL: String) -> WebAddress? {
        let base = issuerURL.hasSuffix("/") ? String(issuerURL.dropLast()) : issuerURL
        return WebAddress(base + "/.well-known/openid-configuration")
    }
}

extension ServerMetadata {
    /// Reads and checks an OpenID provider's discovery document.
    ///
    /// - Throws: `webInternalError` if the document names another issuer, lacks an endpoint, or has an unprotected one;
    ///   `operationNotAllowed` if the server does not support PKCE with S256.
    init(_ document: JSONObject, of issuerURL: String) throws(AuthError) {
        guard let named = document.string("issuer") else {
            throw .malformed("the discovery document")
        }
        guard named == issuerURL else {
            let hint =
                named == issuerURL + "/" || named + "/" == issuerURL
                ? "They differ in the slash at the end: configure the issuer URL as \(named)." : nil
            throw AuthError(
                .webInternalError,
                "The discovery document of \(issuerURL) names another issuer, so it cannot be trusted.",
                remedy: hint
            )
        }
        let isLocal = WebAddress(issuerURL)?.isLoopback == true
        func address(_ name: String) throws(AuthError) -> WebAddress? {
            guard let text = document.string(name) else { return nil }
            if let address = WebAddress(text), address.isAllowed(byServerOnThisMachine: isLocal) { return address }
            throw AuthError(
                .webInternalError,
                isLocal
                    ? "The discovery document of \(issuerURL) has a \(name) that is not an https URL."
                    : "The discovery document of \(issuerURL) has a \(name) that is not an https URL, or that leads to this machine."
            )
        }
        guard
            let authorization = try address("authorization_endpoint"),
            let token = try address("token_endpoint"),
            let keys = try address("jwks_uri")
        else {
            throw AuthError(
                .webInternalError,
                "The discovery document of \(issuerURL) lacks the authorization endpoint, the token endpoint or the keys."
            )
        }
        if let methods = document.strings("code_challenge_methods_supported"), !methods.contains("S256") {
            throw AuthError(
                .operationNotAllowed,
                "The OpenID provider \(issuerURL) does not offer PKCE with S256, without which a desktop app cannot sign in."
            )
        }
        self.init(
            issuerURL: named,
            authorizationEndpoint: authorization,
            tokenEndpoint: token,
            keysAddress: keys,
            userInfoEndpoint: try address("userinfo_endpoint"),
            revocationEndpoint: try address("revocation_endpoint"),
            revokesForPublicClients: document.strings("revocation_endpoint_auth_methods_supported").map {
                $0.contains("none")
            } ?? true,
            endSessionEndpoint: try address("end_session_endpoint"),
            deviceEndpoint: try address("device_authorization_endpoint"),
            pushedRequestEndpoint: try address("pushed_authorization_request_endpoint"),
            requiresPushedRequests: document.bool("require_pushed_authorization_requests") ?? false,
            isLocal: isLocal,
            supportedScopes: document.strings("scopes_supported"),
            signingAlgorithms: document.strings("id_token_signing_alg_values_supported"),
            namesIssuer: document.bool("authorization_response_iss_parameter_supported") ?? false,
            takesSecretInForm: document.strings("token_endpoint_auth_methods_supported").map {
                $0.contains("client_secret_post") && !$0.contains("client_secret_basic")
            } ?? false
        )
    }
}
