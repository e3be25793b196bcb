package import FoundationEssentials
package import SharedAuth
internal import SharedAuthHTTP

/// What an OpenID provider says that it can do, for a tool that looks at it before anybody signs in: what a sign-in would refuse
/// is listed here, too.
package struct ProviderOffer: Sendable {
    /// An address in the discovery document.
    package struct Endpoint: Sendable {
        /// The member of the document.
        package let name: String
        /// The address; nil if the document has none.
        package let address: String?
        /// Whether a sign-in needs it.
        package let isNeeded: Bool
        /// Whether requests may go there: by https, and to no program on this machine.
        package let isAllowed: Bool
    }

    /// How requests for a sign-in can be sent beforehand (RFC 9126).
    package enum PushedRequests: Sendable {
        case none
        case offered
        case required
    }

    /// The issuer that the document names.
    package let issuerURL: String?
    /// The time by the provider's clock, if it says.
    package let date: Date?
    package let endpoints: [Endpoint]
    /// The algorithms that it signs ID tokens with; nil where it does not say.
    package let signingAlgorithms: [String]?
    /// Those of them that are understood here.
    package var knownAlgorithms: [String] {
        (signingAlgorithms ?? []).filter { SigningAlgorithm(rawValue: $0) != nil }
    }
    /// The ways of PKCE; nil where it does not say.
    package let codeChallengeMethods: [String]?
    package let pushedRequests: PushedRequests
    /// Why it would not be asked to end a session; nil if it would.
    package let keptSession: OpenIDConnect.KeptSession?
    /// Whether it lists how clients say who they are, and that none goes without a secret.
    package let wantsSecret: Bool
    /// Whether a redirect says who answers.
    package let namesIssuer: Bool

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
        namesIssuer = document.bool("authorization_response_iss_parameter_supported") ?? false
    }
}

extension OpenIDConnect {
    /// What the provider says that it can do; nothing of it is judged.
    ///
    /// - Throws: what is wrong with the issuer URL or the client id, or keeps discovery from being fetched.
    package func offer() async throws(AuthError) -> ProviderOffer {
        try client.check()
        guard let address = ServerMetadata.address(of: client.issuerURL) else { throw .malformed("the issuer URL") }
        let (document, response) = try await backchannel.document(at: address, "the discovery document")
        return ProviderOffer(document, response.date, for: client)
    }
}
