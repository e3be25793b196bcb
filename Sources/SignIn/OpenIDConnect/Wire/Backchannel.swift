internal import FoundationEssentials
internal import JSONWebSignature
internal import SharedAuth
internal import SharedAuthHTTP

/// Sends requests to a server directly, without the browser, and reads the responses.
struct Backchannel: Sendable {
    let http: HTTPClient

    init(http: HTTPClient) { self.http = http.forDocuments }

    /// A response to a form.
    enum Answer: Sendable {
        case object(JSONObject)
        case refused(ServerRefusal)
    }

    /// Fetches a document; retries failures that may pass.
    func document(
        at address: WebAddress,
        _ what: String
    ) async throws(AuthError) -> (object: JSONObject, response: HTTPResponse) {
        let response = try await response(at: address)
        guard response.isSuccess, let object = JSONObject(lenient: response.body) else {
            throw Self.failure(of: response, what)
        }
        return (object, response)
    }

    /// Asks for JSON, for the holder of an access token if one is given; retries failures that may pass.
    func response(
        at address: WebAddress,
        holding accessToken: String? = nil
    ) async throws(AuthError) -> HTTPResponse {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if let accessToken { headers["Authorization"] = "Bearer \(accessToken)" }
        return try await send(HTTPRequest(.get, address.url, headers: headers), retrying: .idempotent)
    }

    /// Fetches a server's keys.
    func keySet(at address: WebAddress) async throws(AuthError) -> (set: JSONWebKeySet, response: HTTPResponse) {
        let (document, response) = try await document(at: address, "the list of keys")
        guard let set = JSONWebKeySet(document.members) else { throw .lacking("keys", in: "list of keys") }
        return (set, response)
    }

    /// Returns the server's claims about the holder of an access token (OpenID Connect Core §5.3); nil if the response
    /// is a JSON Web Token.
    func userInfo(at address: WebAddress, accessToken: String) async throws(AuthError) -> JSONObject? {
        let response = try await response(at: address, holding: accessToken)
        if response.isSuccess {
            if let object = JSONObject(lenient: response.body) { return object }
            if response.mediaType == "application/jwt" { return nil }
        }
        guard response.status == 401 || response.status == 403 else {
            throw Self.failure(of: response, "the user's profile")
        }
        throw AuthError(
            .invalidCredential,
            "The identity provider refuses the access token for the user's profile. The session is kept; refresh it, "
                + "or request the scope openid."
        )
    }

    /// Sends a form, once.
    func post(
        _ form: [(name: String, value: String)],
        to address: WebAddress,
        as client: ClientAuthentication,
        _ what: String
    ) async throws(AuthError) -> Answer {
        let response = try await send(request(form, to: address, as: client), retrying: .never)
        if let refusal = Self.refusal(in: response) { return .refused(refusal) }
        guard response.isSuccess, let object = response.members else { throw Self.failure(of: response, what) }
        return .object(object)
    }

    /// Exchanges a refresh token, once.
    ///
    /// - Parameter resources: The resource servers that the new access token is for (RFC 8707).
    func exchange(
        _ refreshToken: String,
        for scopes: Set<String>,
        _ resources: [String] = [],
        at server: ServerMetadata,
        as client: ClientAuthentication
    ) async throws(AuthError) -> Answer {
        var form = [(name: "grant_type", value: "refresh_token"), ("refresh_token", refreshToken)]
        if !scopes.isEmpty { form.append(("scope", scopes.sorted().joined(separator: " "))) }
        form += resources.map { ("resource", $0) }
        return try await Backchannel(http: http.patient).post(form, to: server.tokenEndpoint, as: client, "new tokens")
    }

    /// Returns the refusal in a response; nil if it is none, or that of an intermediary.
    static func refusal(in response: HTTPResponse) -> ServerRefusal? {
        // Some servers refuse without a word.
        guard let object = response.body.isEmpty ? JSONObject.empty : response.members else { return nil }
        // Checked whatever the status: some servers send an error with status 200.
        let word = object.string("error")
        guard word != nil || [400, 401, 403].contains(response.status) else { return nil }
        return ServerRefusal(
            word ?? "",
            detail: object.string("suberror") ?? object.string("error_subtype"),
            status: response.status
        )
    }

    /// Sends a form with a token to revoke. A token that the server does not know counts as revoked.
    func revoke(
        _ form: [(name: String, value: String)],
        to address: WebAddress,
        as client: ClientAuthentication,
        _ what: String
    ) async throws(AuthError) {
        let response = try await send(request(form, to: address, as: client), retrying: .idempotent)
        if response.isSuccess { return }
        guard let refusal = Self.refusal(in: response) else { throw Self.failure(of: response, what) }
        if refusal.verdict(of: .revocation) != .ended { throw refusal.error(of: .revocation) }
    }

    private func request(
        _ form: [(name: String, value: String)],
        to address: WebAddress,
        as client: ClientAuthentication
    ) -> HTTPRequest {
        var headers: HTTPHeaders = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if let authorization = client.header { headers["Authorization"] = authorization }
        let body = FormEncoding.encode(form + client.parameters)
        return HTTPRequest(.post, address.url, headers: headers, body: Array(body.utf8))
    }

    /// Sends a request.
    func send(
        _ request: HTTPRequest,
        retrying retry: HTTPClient.Retry
    ) async throws(AuthError) -> HTTPResponse {
        do throws(HTTPError) {
            return try await http.send(request, retrying: retry)
        } catch {
            throw AuthError(error)
        }
    }

    /// Returns the error for an unusable response. A web page with a status of success, redirection or refusal comes
    /// from an intermediary, such as a proxy or a captive portal, and so do the statuses 502 to 504. Any other server
    /// error, or a status that says that the page does not exist, comes from the server itself.
    static func failure(of response: HTTPResponse, _ what: String) -> AuthError {
        switch response.status {
        case 429:
            return AuthError(
                .tooManyRequests,
                "Too many requests to the identity provider (status 429).",
                remedy: "Try again later."
            )
        case 404, 410:
            return AuthError(
                .webInternalError,
                "The identity provider has no such page (status \(response.status)) for \(what).",
                remedy: "Check the issuer URL.",
                underlying: MissingPage()
            )
        case 502...504:
            return AuthError(
                .networkError,
                "The identity provider cannot be reached by the server in front of it (status \(response.status)).",
                remedy: "Try again later, and check the proxy if the network has one."
            )
        case 500..<511, 512...:
            return AuthError(
                .webInternalError,
                "The identity provider failed (status \(response.status)).",
                remedy: "Try again later. If the error persists, check the provider's log."
            )
        case _ where response.isWebPage, 511, 300..<400:
            return AuthError(
                .networkError,
                "Instead of \(what), the network returned its own page (status \(response.status)).",
                remedy: "Log in to the network, check the proxy, or try again later."
            )
        default:
            return .malformed(what)
        }
    }
}

/// A page that a server does not have, perhaps because it has moved.
struct MissingPage: Error {}

/// The credentials of a client (RFC 6749 §2.3).
struct ClientAuthentication: Sendable {
    let clientID: String
    let secret: String?
    /// True if the secret is sent in a header, the default of servers.
    let isInHeader: Bool

    var parameters: [(name: String, value: String)] {
        guard let secret else { return [("client_id", clientID)] }
        return isInHeader ? [] : [("client_id", clientID), ("client_secret", secret)]
    }

    var header: String? {
        guard let secret, isInHeader else { return nil }
        let pair = "\(FormEncoding.escape(clientID)):\(FormEncoding.escape(secret))"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}

extension HTTPResponse {
    /// Indicates whether the body is a page for people.
    var isWebPage: Bool { body.first { $0 > 0x20 } == UInt8(ascii: "<") || mediaType == "text/html" }

    /// The media type of the body, in lower case, without parameters.
    fileprivate var mediaType: String {
        let type = headers["Content-Type"] ?? ""
        return String(type.prefix { $0 != ";" && $0 != " " }).lowercased()
    }
}
