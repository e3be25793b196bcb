internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Sends requests to Firebase, or to an emulator, and reads the answers.
struct Backend: Sendable {
    let apiKey: String
    let emulator: Emulator?
    let http: HTTPClient
    let languageCode: String?
    let appCheckToken: (@Sendable () async throws(AuthError) -> String?)?

    /// Has something done to an account.
    ///
    /// - Throws: what the server says; `networkError`, `timedOut`; `outcomeUnknown` if the answer to a change was cut off.
    func call(_ operation: AccountOperation, _ members: [String: JSONValue]) async throws(AuthError) -> JSONObject {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(members) else {
            throw AuthError(.internalError, "A request to Firebase could not be written.")
        }
        return try await send(.post, operation, [], Array(body))
    }

    /// Asks for something of the project.
    ///
    /// - Throws: what the server says; `networkError`, `timedOut`.
    func look(
        up operation: AccountOperation,
        _ query: [(name: String, value: String)] = []
    ) async throws(AuthError) -> JSONObject {
        try await send(.get, operation, query, nil)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ operation: AccountOperation,
        _ query: [(name: String, value: String)],
        _ body: [UInt8]?
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
        return try ServerAnswer(response).object(of: operation)
    }

    /// Exchanges a refresh token.
    ///
    /// - Throws: what the server says; `networkError`, `timedOut`.
    func exchange(_ form: [(name: String, value: String)]) async throws(AuthError) -> JSONObject {
        let request = HTTPRequest(
            .post,
            try url("securetoken.googleapis.com", "v1/token"),
            headers: try await headers("application/x-www-form-urlencoded"),
            body: Array(FormEncoding.encode(form).utf8)
        )
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await http.send(request, retrying: .never)
        } catch {
            guard error.code == .cutOff else { throw AuthError(error) }
            // The session goes on with what it has, so this is no more than a network that failed.
            throw AuthError(.networkError, error.message, remedy: "Try again.", underlying: error)
        }
        return try ServerAnswer(response).object(of: .refresh)
    }

    private func headers(_ type: String) async throws(AuthError) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Accept": "application/json", "Content-Type": type, "X-Client-Version": "Linux/SharedAuth",
        ]
        if let token = try await appCheckToken?() { headers["X-Firebase-AppCheck"] = token }
        return headers
    }

    /// The address of a call; an emulator has the host that it stands for as the first part of the path.
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

/// What can be done to an account, and whether a second request does no more than the first.
struct AccountOperation: Sendable {
    let path: String
    let isRepeatable: Bool

    private init(_ path: String, isRepeatable: Bool) {
        self.path = path
        self.isRepeatable = isRepeatable
    }

    static let signUp = AccountOperation("v1/accounts:signUp", isRepeatable: false)
    static let signInWithPassword = AccountOperation("v1/accounts:signInWithPassword", isRepeatable: true)
    static let signInWithCustomToken = AccountOperation("v1/accounts:signInWithCustomToken", isRepeatable: true)
    static let signInWithIdp = AccountOperation("v1/accounts:signInWithIdp", isRepeatable: false)
    static let signInWithEmailLink = AccountOperation("v1/accounts:signInWithEmailLink", isRepeatable: false)
    static let finishSecondFactor = AccountOperation("v2/accounts/mfaSignIn:finalize", isRepeatable: false)
    static let lookup = AccountOperation("v1/accounts:lookup", isRepeatable: true)
    static let update = AccountOperation("v1/accounts:update", isRepeatable: false)
    static let sendCode = AccountOperation("v1/accounts:sendOobCode", isRepeatable: false)
    static let checkCode = AccountOperation("v1/accounts:resetPassword", isRepeatable: true)
    static let resetPassword = AccountOperation("v1/accounts:resetPassword", isRepeatable: false)
    static let createAuthURI = AccountOperation("v1/accounts:createAuthUri", isRepeatable: true)
    static let startEnrollment = AccountOperation("v2/accounts/mfaEnrollment:start", isRepeatable: true)
    static let finishEnrollment = AccountOperation("v2/accounts/mfaEnrollment:finalize", isRepeatable: false)
    static let withdrawFactor = AccountOperation("v2/accounts/mfaEnrollment:withdraw", isRepeatable: false)
    static let passwordPolicy = AccountOperation("v2/passwordPolicy", isRepeatable: true)
    static let delete = AccountOperation("v1/accounts:delete", isRepeatable: false)
    static let refresh = AccountOperation("v1/token", isRepeatable: true)
}
