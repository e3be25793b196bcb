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
    /// The endpoint that tells what a token is for (RFC 7662).
    var introspectionEndpoint: WebAddress?
    /// The endpoint at which an app registers a client (RFC 7591).
    var registrationEndpoint: WebAddress?
    /// The ways in which clients authenticate at the token endpoint, if the server lists them.
    var authenticationMethods: [String]?
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
        if let error = client.refusal(ofIssuer: document.string("issuer")) { throw error }
        try self.init(document, of: client.issuerURL, client.issuerName)
        let reader = EndpointReader(document, of: client.issuerURL)
        if authorizationEndpoint == nil { throw reader.refusal(of: "authorization_endpoint") }
        if keysAddress == nil { throw reader.refusal(of: "jwks_uri") }
    }

    /// Reads and checks the metadata of an authorization server, which may issue no ID tokens.
    ///
    /// - Throws: `webInternalError` if the document names another issuer, or lacks the token endpoint;
    ///   `operationNotAllowed` if the server does not support PKCE with S256.
    init(ofAuthorizationServer document: JSONObject, named issuerURL: String) throws(AuthError) {
        let issuer = IssuerName(text: issuerURL)
        if let error = issuer.refusal(of: document.string("issuer"), at: issuerURL, canBeTemplate: false) {
            throw error
        }
        try self.init(document, of: issuerURL, issuer)
    }

    private init(_ document: JSONObject, of issuerURL: String, _ issuer: IssuerName) throws(AuthError) {
        let reader = EndpointReader(document, of: issuerURL)
        guard let token = reader.address("token_endpoint") else { throw reader.refusal(of: "token_endpoint") }
        if let methods = document.usableStrings("code_challenge_methods_supported"), !methods.contains("S256") {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider \(issuerURL) does not offer PKCE with S256, without which a desktop app cannot "
                    + "sign in."
            )
        }
        let authenticationMethods = document.usableStrings("token_endpoint_auth_methods_supported")
        self.init(
            issuer: issuer,
            authorizationEndpoint: reader.address("authorization_endpoint"),
            tokenEndpoint: token,
            keysAddress: reader.address("jwks_uri"),
            userInfoEndpoint: reader.address("userinfo_endpoint"),
            revocationEndpoint: reader.address("revocation_endpoint"),
            revokesForPublicClients: document.usableStrings("revocation_endpoint_auth_methods_supported").map {
                $0.contains("none")
            } ?? true,
            endSessionEndpoint: reader.address("end_session_endpoint"),
            deviceEndpoint: reader.address("device_authorization_endpoint"),
            introspectionEndpoint: reader.address("introspection_endpoint"),
            registrationEndpoint: reader.address("registration_endpoint"),
            authenticationMethods: authenticationMethods,
            pushedRequestEndpoint: reader.address("pushed_authorization_request_endpoint"),
            requiresPushedRequests: document.bool("require_pushed_authorization_requests") ?? false,
            isLocal: reader.isLocal,
            supportedScopes: document.usableStrings("scopes_supported"),
            signingAlgorithms: document.usableStrings("id_token_signing_alg_values_supported"),
            namesIssuer: document.bool("authorization_response_iss_parameter_supported") ?? false,
            takesSecretInForm: authenticationMethods.map {
                $0.contains("client_secret_post") && !$0.contains("client_secret_basic")
            } ?? false
        )
    }
}

/// Reads the endpoints in a server's metadata.
private struct EndpointReader {
    let document: JSONObject
    let issuerURL: String
    /// True if the server is on this machine.
    let isLocal: Bool

    init(_ document: JSONObject, of issuerURL: String) {
        (self.document, self.issuerURL) = (document, issuerURL)
        isLocal = WebAddress(issuerURL)?.isLoopback == true
    }

    /// Returns an endpoint; nil if there is none that may be used. An optional endpoint that must not be used does not
    /// prevent a sign-in.
    func address(_ name: String) -> WebAddress? {
        let address = document.string(name).flatMap { WebAddress($0) }
        return address?.isAllowed(byServerOnThisMachine: isLocal) == true ? address : nil
    }

    /// Returns the error of a document without an endpoint that a sign-in needs.
    func refusal(of name: String) -> AuthError {
        AuthError(
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
}

extension JSONObject {
    /// Returns the texts in a list; nil if there are none, as a list that says nothing is no list.
    fileprivate func usableStrings(_ name: String) -> [String]? {
        guard let texts = strings(name)?.filter({ !$0.isEmpty }), !texts.isEmpty else { return nil }
        return texts
    }
}
