internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Sends requests to Firebase, or to an emulator, and reads the responses.
struct Backend: Sendable {
    let apiKey: String
    let emulator: Emulator?
    let http: HTTPClient
    let languageCode: String?
    let appCheckToken: (@Sendable () async throws(AuthError) -> String?)?

    /// Performs an operation on an account.
    ///
    /// - Throws: The server's error; `networkError`, `timedOut`; `outcomeUnknown` if the response to a change was cut
    ///   off.
    func call(_ operation: AccountOperation, _ members: [String: JSONValue]) async throws(AuthError) -> JSONObject {
        let body = JSONValue.object(members).bytes
        guard !body.isEmpty else { throw AuthError(.internalError, "A request to Firebase could not be written.") }
        // With an ID token the request concerns a session, whose tokens it may replace.
        let mayReplaceTokens = operation.givesTokens && members["idToken"] != nil
        return try await send(.post, operation, body: body, by: mayReplaceTokens ? http.patient : http)
    }

    /// Gets information about the project.
    ///
    /// - Throws: The server's error; `networkError`, `timedOut`.
    func look(
        up operation: AccountOperation,
        _ query: [(name: String, value: String)] = []
    ) async throws(AuthError) -> JSONObject {
        try await send(.get, operation, query: query, by: http)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ operation: AccountOperation,
        query: [(name: String, value: String)] = [],
        body: [UInt8]? = nil,
        by http: HTTPClient
    ) async throws(AuthError) -> JSONObject {
        var headers = try await headers("application/json")
        if let languageCode { headers["X-Firebase-Locale"] = languageCode }
        let url = try url(Issuer.host, operation.path, query)
        let request = HTTPRequest(method, url, headers: headers, body: body)
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await http.send(request, retrying: operation.isRepeatable ? .idempotent : .never)
        } catch {
            throw AuthError(error)
        }
        return try FirebaseAnswer(response).object(of: operation)
    }

    /// Exchanges a refresh token.
    ///
    /// - Throws: The server's error; `networkError`, `timedOut`.
    func exchange(_ form: [(name: String, value: String)]) async throws(AuthError) -> JSONObject {
        let request = HTTPRequest(
            .post,
            try url("securetoken.googleapis.com", "v1/token"),
            headers: try await headers("application/x-www-form-urlencoded"),
            body: Array(FormEncoding.encode(form).utf8)
        )
        // Without a token nothing is exchanged: the request only checks the key.
        let http = form.contains { $0.name == "refresh_token" } ? http.patient : http
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await http.send(request, retrying: .never)
        } catch {
            guard error.code == .cutOff else { throw AuthError(error) }
            // The session keeps its tokens, so this is only a network failure.
            throw AuthError(.networkError, error.message, remedy: "Try again.", underlying: error)
        }
        return try FirebaseAnswer(response).object(of: .refresh)
    }

    private func headers(_ type: String) async throws(AuthError) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Accept": "application/json", "Content-Type": type, "X-Client-Version": "Linux/SharedAuth",
        ]
        if let token = try await appCheckToken?() { headers["X-Firebase-AppCheck"] = token }
        return headers
    }

    /// Returns the URL of a request. For an emulator, the real host is the first part of the path.
    private func url(
        _ host: String,
        _ path: String,
        _ query: [(name: String, value: String)] = []
    ) throws(AuthError) -> URL {
        let site = emulator.map { "\($0.address)/\(host)" } ?? "https://\(host)"
        let query = FormEncoding.encode([(name: "key", value: apiKey)] + query)
        guard !apiKey.isEmpty, let url = URL(string: "\(site)/\(path)?\(query)") else {
            throw AuthError(
                .invalidAPIKey,
                "There is no API key, or the emulator's host is malformed.",
                remedy: "Give the key of the Firebase project, or the host as a name or an address."
            )
        }
        return url
    }
}

/// A request about an account; `isRepeatable` is true if repeating it has no further effect.
struct AccountOperation: Sendable {
    let path: String
    let isRepeatable: Bool
    /// True if the response to a request with an ID token may have new tokens, which replace those of its session.
    let givesTokens: Bool

    private static func question(_ path: String) -> AccountOperation {
        AccountOperation(path: path, isRepeatable: true, givesTokens: false)
    }

    private static func change(_ path: String, givesTokens: Bool = false) -> AccountOperation {
        AccountOperation(path: path, isRepeatable: false, givesTokens: givesTokens)
    }

    static let signUp = change("v1/accounts:signUp", givesTokens: true)
    static let signInWithPassword = question("v1/accounts:signInWithPassword")
    static let signInWithCustomToken = question("v1/accounts:signInWithCustomToken")
    static let signInWithIdp = change("v1/accounts:signInWithIdp", givesTokens: true)
    static let signInWithEmailLink = change("v1/accounts:signInWithEmailLink", givesTokens: true)
    static let finishSecondFactor = change("v2/accounts/mfaSignIn:finalize")
    static let lookup = question("v1/accounts:lookup")
    static let update = change("v1/accounts:update", givesTokens: true)
    static let sendCode = change("v1/accounts:sendOobCode")
    static let checkCode = question("v1/accounts:resetPassword")
    static let resetPassword = change("v1/accounts:resetPassword")
    static let createAuthURI = question("v1/accounts:createAuthUri")
    static let startEnrollment = question("v2/accounts/mfaEnrollment:start")
    static let finishEnrollment = change("v2/accounts/mfaEnrollment:finalize", givesTokens: true)
    static let withdrawFactor = change("v2/accounts/mfaEnrollment:withdraw", givesTokens: true)
    static let passwordPolicy = question("v2/passwordPolicy")
    static let delete = change("v1/accounts:delete")
    static let refresh = question("v1/token")
}
