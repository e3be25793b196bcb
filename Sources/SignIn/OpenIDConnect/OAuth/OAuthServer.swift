internal import SharedAuth

/// A plain OAuth 2 server, which issues no ID tokens: its endpoints, and the way to learn who has signed in.
public struct OAuthServer: Sendable {
    /// The way to learn the endpoints.
    enum Place: Sendable, Hashable {
        /// The metadata of this issuer (RFC 8414).
        case issuer(String)
        case endpoints(Endpoints)
    }

    /// The endpoints of a server that publishes no metadata.
    struct Endpoints: Sendable, Hashable, Codable {
        var authorization: String?
        var token: String
        var device: String?
        var revocation: String?
        var registration: String?
        /// The server's name of itself in the redirect.
        var issuer: String?
    }

    let place: Place
    /// The way to learn who has signed in.
    public var user: OAuthUser

    init(_ place: Place, user: OAuthUser) { (self.place, self.user) = (place, user) }

    /// Creates a server that publishes metadata (RFC 8414).
    ///
    /// - Parameters:
    ///   - issuerURL: The issuer URL exactly as the server writes it: HTTPS, or HTTP on the loopback interface; without
    ///     query and fragment.
    ///   - user: The way to learn who has signed in.
    public init(issuerURL: String, user: OAuthUser = .published) { self.init(.issuer(issuerURL), user: user) }

    /// Creates a server that publishes no metadata. All endpoints are URLs: HTTPS, or HTTP on the loopback
    /// interface.
    ///
    /// - Parameters:
    ///   - authorizationEndpoint: The sign-in page; nil if users sign in with device codes only.
    ///   - tokenEndpoint: The endpoint that exchanges codes for tokens.
    ///   - deviceEndpoint: The endpoint that issues device codes, if there is one.
    ///   - revocationEndpoint: The endpoint that ends sessions (RFC 7009), if there is one.
    ///   - registrationEndpoint: The endpoint at which apps register (RFC 7591), if there is one.
    ///   - issuer: The server's name of itself in the redirect (RFC 9207), if it sends one: a redirect from another
    ///     issuer is refused.
    ///   - user: The way to learn who has signed in.
    public init(
        authorizationEndpoint: String?,
        tokenEndpoint: String,
        deviceEndpoint: String? = nil,
        revocationEndpoint: String? = nil,
        registrationEndpoint: String? = nil,
        issuer: String? = nil,
        user: OAuthUser
    ) {
        let endpoints = Endpoints(
            authorization: authorizationEndpoint,
            token: tokenEndpoint,
            device: deviceEndpoint,
            revocation: revocationEndpoint,
            registration: registrationEndpoint,
            issuer: issuer
        )
        self.init(.endpoints(endpoints), user: user)
    }
}

extension OAuthServer {
    /// The URL that names the server: the issuer URL, or the URL of the token endpoint.
    public var url: String {
        switch place {
        case .issuer(let url): url
        case .endpoints(let endpoints): endpoints.token
        }
    }

    /// Checks the URL that names the server.
    ///
    /// - Throws: `operationNotAllowed` if it is neither HTTPS nor on this machine.
    func check() throws(AuthError) {
        guard WebAddress.isIssuerURL(url) else {
            throw AuthError(
                .operationNotAllowed,
                "The URL of the OAuth server is not an https URL without query and fragment. Plain HTTP is allowed "
                    + "only for loopback addresses."
            )
        }
    }
}

extension OAuthServer.Place: Codable {
    private enum Member: String, CodingKey { case issuer, endpoints }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        if let issuer = try members.decodeIfPresent(String.self, forKey: .issuer) {
            self = .issuer(issuer)
        } else {
            self = .endpoints(try members.decode(OAuthServer.Endpoints.self, forKey: .endpoints))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        switch self {
        case .issuer(let url): try members.encode(url, forKey: .issuer)
        case .endpoints(let endpoints): try members.encode(endpoints, forKey: .endpoints)
        }
    }
}

extension OAuthServer.Endpoints {
    /// The endpoints as metadata.
    ///
    /// - Throws: `operationNotAllowed` if one of them is neither HTTPS nor on this machine.
    var metadata: ServerMetadata {
        get throws(AuthError) {
            var server = ServerMetadata(tokenEndpoint: try Self.address(token, "token"))
            server.authorizationEndpoint = try Self.optional(authorization, "authorization")
            server.deviceEndpoint = try Self.optional(device, "device")
            server.revocationEndpoint = try Self.optional(revocation, "revocation")
            server.registrationEndpoint = try Self.optional(registration, "registration")
            server.issuer = issuer.map { IssuerName(text: $0) }
            server.isLocal = server.tokenEndpoint.isLoopback
            server.takesSecretInForm = true
            return server
        }
    }

    private static func optional(_ text: String?, _ name: String) throws(AuthError) -> WebAddress? {
        guard let text else { return nil }
        return try address(text, name)
    }

    private static func address(_ text: String, _ name: String) throws(AuthError) -> WebAddress {
        try WebAddress(protected: text, "The \(name) endpoint of the OAuth server")
    }
}

extension ServerMetadata {
    /// Returns the URLs at which an authorization server may publish its metadata: in the order of RFC 8414, section
    /// 3.1, then as OpenID providers do.
    static func addresses(ofAuthorizationServer issuerURL: String) -> [WebAddress] {
        let name = "/.well-known/oauth-authorization-server"
        let base = issuerURL.hasSuffix("/") ? String(issuerURL.dropLast()) : issuerURL
        guard let scheme = base.firstRange(of: "://") else { return [] }
        let path = base[scheme.upperBound...].firstIndex(of: "/") ?? base.endIndex
        let first = WebAddress("\(base[..<path])\(name)\(base[path...])")
        let appended = path == base.endIndex ? nil : WebAddress(base + name)
        return [first, appended, address(of: issuerURL)].compactMap(\.self)
    }
}
