package import FoundationEssentials
package import SharedAuth
internal import SharedAuthHTTP

/// The capabilities that an OpenID provider announces, for a tool that inspects it before a sign-in. It also includes
/// values that a sign-in would refuse.
package struct ProviderOffer: Sendable {
    /// A URL in the discovery document.
    package struct Endpoint: Sendable {
        /// The member of the document.
        package let name: String
        /// The URL; nil if the document has none.
        package let address: String?
        /// True if a sign-in needs the endpoint.
        package let isNeeded: Bool
        /// True if requests may be sent there: HTTPS, and not on this machine unless the issuer is, too.
        package let isAllowed: Bool
    }

    /// The support for pushed authorization requests (RFC 9126).
    package enum PushedRequests: Sendable {
        case none
        case offered
        case required
    }

    /// The issuer that the document names.
    package let issuerURL: String?
    /// The time by the provider's clock, if the response has it.
    package let date: Date?
    package let endpoints: [Endpoint]
    /// The algorithms that sign ID tokens; nil if the document does not list them.
    package let signingAlgorithms: [String]?
    /// The listed algorithms that this module supports.
    package var knownAlgorithms: [String] {
        (signingAlgorithms ?? []).filter { SignatureRules.algorithm(named: $0) != nil }
    }
    /// The keys that check ID tokens; nil if the document has no URL for them that requests may be sent to.
    package fileprivate(set) var keys: Result<KeyOffer, AuthError>?
    /// The PKCE methods; nil if the document does not list them.
    package let codeChallengeMethods: [String]?
    package let pushedRequests: PushedRequests
    /// The reason why sessions are not revoked at the provider; nil if they are revoked.
    package let keptSession: KeptSession?
    /// True if the document lists the clients' authentication methods and all of them need a secret.
    package let wantsSecret: Bool
    /// True if redirects name the issuer.
    package let namesIssuer: Bool
    /// Whether the document lists refreshes among the grants; nil if it lists no grants.
    package let refreshes: Bool?

    init(_ document: JSONObject, _ date: Date?, for client: OpenIDClient) {
        let isLocal = WebAddress(client.issuerURL)?.isLoopback == true
        func endpoint(_ name: String, isNeeded: Bool) -> Endpoint {
            let text = document.string(name)
            let address = text.flatMap { WebAddress($0) }
            return Endpoint(
                name: name,
                address: text,
                isNeeded: isNeeded,
                isAllowed: address?.isAllowed(byServerOnThisMachine: isLocal) ?? false
            )
        }
        self.date = date
        issuerURL = document.string("issuer")
        endpoints =
            ["authorization_endpoint", "token_endpoint", "jwks_uri"].map { endpoint($0, isNeeded: true) }
            + [
                "userinfo_endpoint", "revocation_endpoint", "end_session_endpoint", "device_authorization_endpoint",
                "pushed_authorization_request_endpoint",
            ].map { endpoint($0, isNeeded: false) }
        signingAlgorithms = document.strings("id_token_signing_alg_values_supported")
        codeChallengeMethods = document.strings("code_challenge_methods_supported")
        let isRequired = document.bool("require_pushed_authorization_requests") ?? false
        let isOffered = document.string("pushed_authorization_request_endpoint") != nil
        pushedRequests = isRequired ? .required : isOffered ? .offered : .none
        let revokers = document.strings("revocation_endpoint_auth_methods_supported")
        if document.string("revocation_endpoint") == nil {
            keptSession = .notOffered
        } else {
            let isOpen = client.clientSecret != nil || revokers?.contains("none") ?? true
            keptSession = isOpen ? nil : .notToPublicClients
        }
        let methods = document.strings("token_endpoint_auth_methods_supported")
        wantsSecret = client.clientSecret == nil && methods?.contains("none") == false
        refreshes = document.strings("grant_types_supported").map { $0.contains("refresh_token") }
        namesIssuer = document.bool("authorization_response_iss_parameter_supported") ?? false
    }
}

extension OpenIDConnect {
    /// Returns the capabilities that the provider announces, unchecked, and reads its keys.
    ///
    /// - Throws: The error of an invalid issuer URL or client ID; the errors of fetching the discovery document.
    package func offer() async throws(AuthError) -> ProviderOffer {
        try client.check()
        guard let address = ServerMetadata.address(of: client.issuerURL) else { throw .malformedIssuer }
        let (document, response) = try await backchannel.document(at: address, "the discovery document")
        var offer = ProviderOffer(document, response.date, for: client)
        let keys = offer.endpoints.first { $0.name == "jwks_uri" && $0.isAllowed }
        // A document of another issuer is not followed.
        guard client.refusal(ofIssuer: offer.issuerURL) == nil,
            let keysAddress = keys?.address.flatMap({ WebAddress($0) })
        else { return offer }
        do throws(AuthError) {
            offer.keys = .success(KeyOffer(try await backchannel.keySet(at: keysAddress).set, offer.signingAlgorithms))
        } catch {
            offer.keys = .failure(error)
        }
        return offer
    }
}
