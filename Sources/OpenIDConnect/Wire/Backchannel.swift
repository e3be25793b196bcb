internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Asks a server directly, without the browser, and reads its answers.
struct Backchannel: Sendable {
    let http: HTTPClient

    init(http: HTTPClient) { self.http = http.forDocuments }

    /// An answer to a form.
    enum Answer: Sendable {
        case object(JSONObject)
        case refused(ServerRefusal)
    }

    /// Fetches a document; a failure that may pass is tried again.
    func document(
        at address: WebAddress,
        _ what: String
    ) async throws(AuthError) -> (object: JSONObject, response: HTTPResponse) {
        let headers: HTTPHeaders = ["Accept": "application/json"]
        let response = try await send(HTTPRequest(.get, address.url, headers: headers), retrying: .idempotent)
        guard response.isSuccess, let object = JSONObject(response.body) else {
            throw Self.failure(of: response, what)
        }
        return (object, response)
    }

    /// Returns the claims of the server about the holder of an access token (OpenID Connect Core §5.3); nil if it says
    /// it in a way that is not plain JSON.
    func userInfo(at address: WebAddress, accessToken: String) async throws(AuthError) -> JSONObject? {
        let headers: HTTPHeaders = ["Accept": "application/json", "Authorization": "Bearer \(accessToken)"]
        let response = try await send(HTTPRequest(.get, address.url, headers: headers), retrying: .idempotent)
        if response.isSuccess {
            if let object = JSONObject(response.body) { return object }
            if response.mediaType == "application/jwt" { return nil }
        }
        guard response.status == 401 || response.status == 403 else {
            throw Self.failure(of: response, "the user's profile")
        }
        throw AuthError(
            .invalidCredential,
            "The identity provider does not take the access token for the user's profile. The session stays; refresh it, or "
                + "ask for the scope openid."
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
        let object = JSONObject(response.body)
        // Looked for in answers of every status: some call a refusal a success.
        if let word = object?.string("error") { return .refused(ServerRefusal(word)) }
        guard response.isSuccess, let object else { throw Self.failure(of: response, what) }
        return .object(object)
    }

    /// Sends a form whose answer has nothing to read but its status.
    func notify(
        _ form: [(name: String, value: String)],
        to address: WebAddress,
        as client: ClientAuthentication,
        _ what: String
    ) async throws(AuthError) {
        let response = try await send(request(form, to: address, as: client), retrying: .idempotent)
        if response.isSuccess { return }
        if let word = JSONObject(response.body)?.string("error") { throw ServerRefusal(word).error(of: .revocation) }
        throw Self.failure(of: response, what)
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

    private func send(
        _ request: HTTPRequest,
        retrying retry: HTTPClient.Retry
    ) async throws(AuthError) -> HTTPResponse {
        do throws(HTTPError) {
            return try await http.send(request, retrying: retry)
        } catch {
            throw AuthError(error)
        }
    }

    /// Returns the reason that an answer cannot be used. A page with a status of success, of a redirect or of a refusal
    /// comes from something between, such as a proxy or the portal of a network; one that says that the server failed, or
    /// has no such page, comes from the server.
    static func failure(of response: HTTPResponse, _ what: String) -> AuthError {
        let start = response.body.first { $0 > 0x20 }
        switch response.status {
        case 429:
            return AuthError(.tooManyRequests, "The identity provider was asked too often. Try again later.")
        case 404:
            return AuthError(
                .webInternalError,
                "The identity provider has no such page (status 404) for \(what).",
                remedy: "Check the issuer URL."
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
                remedy: "Try again later; if it stays so, its log says why."
            )
        case _ where start == UInt8(ascii: "<") || response.mediaType == "text/html", 511, 300..<400:
            return AuthError(
                .networkError,
                "Instead of \(what), the network answered with a page of its own (status \(response.status)).",
                remedy: "Log in to the network, check the proxy, or try again later."
            )
        default:
            return .malformed(what)
        }
    }
}

/// The credentials of a client (RFC 6749 §2.3).
struct ClientAuthentication: Sendable {
    let clientID: String
    let secret: String?
    /// Whether the secret goes into a header, as at servers that announce nothing else.
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
    /// The media type of the body, in lower case, without parameters.
    fileprivate var mediaType: String {
        let type = headers["Content-Type"] ?? ""
        return String(type.prefix { $0 != ";" && $0 != " " }).lowercased()
    }
}
