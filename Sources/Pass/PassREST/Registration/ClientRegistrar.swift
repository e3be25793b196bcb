internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The data that an app registers with.
struct Applicant: Sendable {
    let softwareStatement: String
    let options: ClientOptions
    let redirectURI: String?
}

/// Registers clients and gets access tokens for them, by dynamic client registration.
struct ClientRegistrar: Sendable {
    /// The server's response to a request for an access token.
    enum TokenAnswer: Sendable {
        /// A token and its lifetime.
        case token(String, Duration)
        /// The server no longer knows the client or no longer accepts it.
        case clientRefused
    }

    /// The lifetime of a token in seconds if the server does not return one.
    private static let usualLifetime: Double = 3600

    let server: PassServer
    let http: PassHTTP

    /// Registers a client.
    ///
    /// - Throws: `notRegistered` if the server does not accept the software statement.
    func register(_ applicant: Applicant) async throws(PassBackendError) -> RegisteredClient {
        var members: [String: JSONValue] = ["software_statement": .string(applicant.softwareStatement)]
        if let redirectURI = applicant.redirectURI { members["redirect_uri"] = .string(redirectURI) }
        var headers = RESTHeaders.ofDevice(applicant.options)
        headers["Content-Type"] = "application/json"
        let answer = try await post("o/client/register", headers, JSONValue.object(members).bytes)
        if let word = answer.word {
            throw PassBackendError(
                .notRegistered,
                "The server does not accept the software statement (\(word)). Get a new one from Adobe's TVE Dashboard."
            )
        }
        let object = try Self.object(of: answer, else: .notRegistered)
        guard let id = object.string("client_id"), let secret = object.string("client_secret") else {
            throw PassBackendError(.invalidAnswer, "The response to the registration has no client.")
        }
        return RegisteredClient(id: id, secret: secret, softwareStatement: applicant.softwareStatement)
    }

    /// Gets an access token.
    ///
    /// - Throws: `noAccessToken` if the server issues none.
    func accessToken(of client: RegisteredClient) async throws(PassBackendError) -> TokenAnswer {
        let form = FormEncoding.encode([
            ("client_id", client.id), ("client_secret", client.secret), ("grant_type", "client_credentials"),
        ])
        let headers: HTTPHeaders = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        let answer = try await post("o/client/token", headers, Array(form.utf8))
        switch answer.word {
        case "invalid_client", "unauthorized_client": return .clientRefused
        case let word?: throw PassBackendError(.noAccessToken, "The server issues no access token (\(word)).")
        case nil: break
        }
        let object = try Self.object(of: answer, else: .noAccessToken)
        guard let token = object.string("access_token"), RESTHeaders.canCarry(token) else {
            throw PassBackendError(.invalidAnswer, "The response to the request for an access token has no token.")
        }
        return .token(token, .seconds(object.seconds("expires_in") ?? Self.usualLifetime))
    }

    /// Returns the JSON object of a response. These endpoints know no users, so a refusal that would concern the user
    /// is thrown with `code` instead.
    private static func object(
        of answer: ServerAnswer,
        else code: PassBackendError.Code
    ) throws(PassBackendError) -> JSONObject {
        do throws(PassBackendError) {
            return try answer.object()
        } catch {
            let isOfServer: [PassBackendError.Code] = [
                .network, .timedOut, .server, .throttled, .invalidAnswer, .notFound, .insecure,
            ]
            if isOfServer.contains(error.code) { throw error }
            throw PassBackendError(code, error.message)
        }
    }

    private func post(
        _ path: String,
        _ headers: HTTPHeaders,
        _ body: [UInt8]
    ) async throws(PassBackendError) -> ServerAnswer {
        let request = try RESTHeaders.request(.post, "\(server.registration)/\(path)", headers, body: body)
        return ServerAnswer(try await http.response(to: request, isRepeatable: false), at: http.now())
    }
}
