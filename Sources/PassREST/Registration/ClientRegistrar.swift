internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// An applicant for a client.
struct Applicant: Sendable {
    let softwareStatement: String
    let options: ClientOptions
    let redirectURI: String?
}

/// Registers clients, and gets access tokens for them: the calls of dynamic client registration.
struct ClientRegistrar: Sendable {
    /// The server's answer to a request for an access token.
    enum TokenAnswer: Sendable {
        /// A token, and how long it is good.
        case token(String, Duration)
        /// It does not know the client any more, or gives it none any more.
        case clientRefused
    }

    /// The time for which a token is used whose lifetime the server does not tell.
    private static let usualLifetime: Double = 3600

    let server: PassServer
    let http: PassHTTP

    /// Registers a client.
    ///
    /// - Throws: `notRegistered` for a software statement that is not accepted.
    func register(_ applicant: Applicant) async throws(PassBackendError) -> RegisteredClient {
        var members: [String: JSONValue] = ["software_statement": .string(applicant.softwareStatement)]
        if let redirectURI = applicant.redirectURI { members["redirect_uri"] = .string(redirectURI) }
        var headers = RESTHeaders.ofDevice(applicant.options)
        headers["Content-Type"] = "application/json"
        let answer = try await post("o/client/register", headers, JSONValue.object(members).bytes)
        if let word = answer.word {
            throw PassBackendError(
                .notRegistered,
                "The server does not accept the software statement (\(word)). Get a valid one from Adobe's TVE Dashboard."
            )
        }
        let object = try Self.object(of: answer, else: .notRegistered)
        guard let id = object.string("client_id"), let secret = object.string("client_secret") else {
            throw PassBackendError(.invalidAnswer, "The answer to the registration lacks a client.")
        }
        return RegisteredClient(id: id, secret: secret, softwareStatement: applicant.softwareStatement)
    }

    /// Gets an access token.
    ///
    /// - Throws: `noAccessToken` where there is none to be had.
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
        case let word?: throw PassBackendError(.noAccessToken, "The server gives no access token (\(word)).")
        case nil: break
        }
        let object = try Self.object(of: answer, else: .noAccessToken)
        guard let token = object.string("access_token"), RESTHeaders.canCarry(token) else {
            throw PassBackendError(.invalidAnswer, "The answer to the request for an access token has no access token.")
        }
        return .token(token, .seconds(object.seconds("expires_in") ?? Self.usualLifetime))
    }

    /// Returns the content of an answer. These endpoints know nothing of a person, so no refusal of theirs is one of a
    /// person's.
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
