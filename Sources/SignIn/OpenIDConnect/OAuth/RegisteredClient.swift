internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A client that a server has registered (RFC 7591 §3.2.1).
struct RegisteredClient: Sendable, Hashable, Codable {
    var id: String
    var secret: String?
    /// The date on which the secret expires; nil if it does not.
    var secretExpirationDate: Date?
    /// The way in which the client authenticates, if the server says so.
    var authenticationMethod: String?
    /// The redirect URIs that were registered.
    var redirectURIs: [String]
    /// The grants that the registration asked for.
    var grantTypes: [String]
    /// True if the server has refused the client at a sign-in.
    var isRefused = false

    /// Reads a server's answer.
    ///
    /// - Throws: `webInternalError` without a client ID, or with a secret that cannot be sent; `operationNotAllowed` if
    ///   the server wants an authentication that is not supported.
    init(_ answer: JSONObject, redirectURIs: [String], grantTypes: [String] = []) throws(AuthError) {
        guard let id = answer.string("client_id"), ClientID.isValid(id) else {
            throw .lacking("client_id", in: "registration of the app")
        }
        self.id = id
        authenticationMethod = answer.string("token_endpoint_auth_method")
        // Some servers name a secret, or the end of one, also to a client that sends none.
        if authenticationMethod != "none", let secret = answer.string("client_secret"), !secret.isEmpty {
            guard ClientID.isValid(secret) else { throw .lacking("client_secret", in: "registration of the app") }
            self.secret = secret
            // 0 means never.
            secretExpirationDate = answer.seconds("client_secret_expires_at").flatMap { seconds in
                seconds > 0 ? Date(timeIntervalSince1970: seconds) : nil
            }
        }
        (self.redirectURIs, self.grantTypes) = (redirectURIs, grantTypes)
        if let method = authenticationMethod, !Self.methods.contains(method) {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider registered a client that authenticates in a way that SharedAuth does not "
                    + "support. Register a public client there by hand, and use its client ID."
            )
        }
    }

    /// The supported ways, most suitable first: a desktop app cannot keep a secret.
    static let methods = ["none", "client_secret_basic", "client_secret_post"]

    /// Returns the client's credentials.
    func authentication(at server: ServerMetadata) -> ClientAuthentication {
        let isInForm = authenticationMethod.map { $0 == "client_secret_post" } ?? server.takesSecretInForm
        return ClientAuthentication(
            clientID: id,
            secret: secret,
            isInHeader: !isInForm
        )
    }

    /// Returns whether the client can be used at a time.
    func isUsable(at now: Date) -> Bool { secretExpirationDate.map { $0 > now } ?? true }
}

extension RegisteredClient: Redacted {
    /// The client ID.
    var description: String { "RegisteredClient(\(id))" }
    /// Shows the client ID only.
    var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension OAuthRegistration {
    /// Returns the grants that the registration asks for.
    func grantTypes(at server: ServerMetadata) -> [String] {
        if let given = JSONObject(members: metadata).strings("grant_types") { return given }
        var grants = ["refresh_token"]
        if server.authorizationEndpoint != nil { grants.insert(CodeFlow.grantType, at: 0) }
        if server.deviceEndpoint != nil { grants.append(DeviceFlow.grantType) }
        return grants
    }

    /// Returns the members of the request for a client.
    func members(
        redirectURIs: [String],
        scopes: [String],
        at server: ServerMetadata
    ) -> [String: JSONValue] {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        let offered = server.authenticationMethods
        let method = RegisteredClient.methods.first { offered?.contains($0) ?? true } ?? RegisteredClient.methods[0]
        var members: [String: JSONValue] = [
            "client_name": .string(clientName), "application_type": .string("native"),
            "redirect_uris": list(redirectURIs), "grant_types": list(grantTypes(at: server)),
            "response_types": list(["code"]), "token_endpoint_auth_method": .string(method),
        ]
        if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
        return members.merging(metadata) { $1 }
    }
}

extension Backchannel {
    /// Registers a client, once.
    ///
    /// - Throws: `operationNotAllowed` if the server refuses the registration.
    func register(
        _ registration: OAuthRegistration,
        redirectURIs: [String],
        scopes: [String],
        at server: ServerMetadata
    ) async throws(AuthError) -> RegisteredClient {
        guard let endpoint = server.registrationEndpoint else {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider does not register apps. Register a client there by hand, and use its client ID."
            )
        }
        let members = registration.members(redirectURIs: redirectURIs, scopes: scopes, at: server)
        var headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json"]
        if let token = registration.initialAccessToken { headers["Authorization"] = "Bearer \(token)" }
        let body = JSONValue.object(members).bytes
        let response = try await send(HTTPRequest(.post, endpoint.url, headers: headers, body: body), retrying: .never)
        if let refusal = Self.refusal(in: response) { throw refusal.error(of: .registration) }
        guard response.isSuccess, let answer = JSONObject(lenient: response.body) else {
            throw Self.failure(of: response, "the registration of the app")
        }
        return try RegisteredClient(
            answer,
            redirectURIs: redirectURIs,
            grantTypes: registration.grantTypes(at: server)
        )
    }
}
