internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A server's endpoints and capabilities, from discovery (OpenID Connect Discovery §3, RFC 8414).
struct ServerMetadata: Sendable, Hashable {
    var issuer: IssuerName?
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
    /// - Throws: `webInternalError` if the document names another issuer, or lacks an endpoint that a sign-in needs;
    ///   `operationNotAllowed` if the server does not support PKCE with S256.
    init(_ document: JSONObject, of client: OpenIDClient) throws(AuthError) {
        let issuerURL = client.issuerURL
        if let error = client.refusal(ofIssuer: document.string("issuer")) { throw error }
        let isLocal = WebAddress(issuerURL)?.isLoopback == true
        // An optional endpoint that must not be used does not prevent a sign-in.
        func address(_ name: String) -> WebAddress? {
            let address = document.string(name).flatMap { WebAddress($0) }
            return address?.isAllowed(byServerOnThisMachine: isLocal) == true ? address : nil
        }
        func needed(_ name: String) throws(AuthError) -> WebAddress {
            if let address = address(name) { return address }
            throw AuthError(
                .webInternalError,
                "The discovery document of \(issuerURL) "
                    + (document.string(name) == nil
                        ? "lacks the \(name), which a sign-in needs."
                        : isLocal
                            ? "has a \(name) that is not an https URL."
                            : "has a \(name) that is not an https URL, or that leads to this machine."),
                remedy: "Have the provider's administrator correct it."
            )
        }
        let (authorization, token) = (try needed("authorization_endpoint"), try needed("token_endpoint"))
        let keys = try needed("jwks_uri")
        if let methods = document.usableStrings("code_challenge_methods_supported"), !methods.contains("S256") {
            throw AuthError(
                .operationNotAllowed,
                "The OpenID provider \(issuerURL) does not offer PKCE with S256, without which a desktop app cannot sign in."
            )
        }
        self.init(
            issuer: client.issuerName,
            authorizationEndpoint: authorization,
            tokenEndpoint: token,
            keysAddress: keys,
            userInfoEndpoint: address("userinfo_endpoint"),
            revocationEndpoint: address("revocation_endpoint"),
            revokesForPublicClients: document.usableStrings("revocation_endpoint_auth_methods_supported").map {
                $0.contains("none")
            } ?? true,
            endSessionEndpoint: address("end_session_endpoint"),
            deviceEndpoint: address("device_authorization_endpoint"),
            pushedRequestEndpoint: address("pushed_authorization_request_endpoint"),
            requiresPushedRequests: document.bool("require_pushed_authorization_requests") ?? false,
            isLocal: isLocal,
            supportedScopes: document.usableStrings("scopes_supported"),
            signingAlgorithms: document.usableStrings("id_token_signing_alg_values_supported"),
            namesIssuer: document.bool("authorization_response_iss_parameter_supported") ?? false,
            takesSecretInForm: document.usableStrings("token_endpoint_auth_methods_supported").map {
                $0.contains("client_secret_post") && !$0.contains("client_secret_basic")
            } ?? false
        )
    }
}

extension JSONObject {
    /// Returns the texts in a list; nil if there are none, as a list that says nothing is no list.
    fileprivate func usableStrings(_ name: String) -> [String]? {
        guard let texts = strings(name)?.filter({ !$0.isEmpty }), !texts.isEmpty else { return nil }
        return texts
    }
}
