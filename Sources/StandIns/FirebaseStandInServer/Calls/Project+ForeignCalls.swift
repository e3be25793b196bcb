internal import Crypto
internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// Tokens from other services, and the page that simulates their sign-in pages.
extension Project {
    /// Returns the identity in a call. Checks the claims of an ID token, unless the token was registered beforehand.
    func identity(in body: JSONObject) async throws(Refusal) -> ForeignIdentity {
        guard let requestURL = body.string("requestUri") else { throw Refusal("MISSING_REQUEST_URI") }
        if let token = body.string("pendingToken") {
            let known = try withDirectory { directory, _ throws(Refusal) in directory.pendingCredentials[token] }
            guard let known else { throw Refusal("INVALID_PENDING_TOKEN") }
            return known
        }
        if let session = body.string("sessionId") { return try identity(cameBackBy: requestURL, session) }
        let form = FormFields(body.string("postBody") ?? "")
        guard let provider = form["providerId"], !provider.isEmpty else {
            throw Refusal("INVALID_CREDENTIAL_OR_PROVIDER_ID")
        }
        if let token = form["id_token"] {
            let accepted = try known(token, from: provider)
            if let accepted, accepted.idToken == token { return accepted }
            return try await identity(of: token, from: provider, form)
        }
        guard let token = form["access_token"] else {
            throw Refusal("INVALID_CREDENTIAL_OR_PROVIDER_ID", "There is neither an ID token nor an access token.")
        }
        guard let known = try known(token, from: provider) else {
            throw Refusal("INVALID_IDP_RESPONSE", "The provider did not issue the access token.")
        }
        return known
    }

    /// Returns the identity of a token that was registered for a provider beforehand.
    private func known(_ token: String, from provider: String) throws(Refusal) -> ForeignIdentity? {
        let known = try withDirectory { directory, _ throws(Refusal) in directory.foreignTokens[token] }
        return known?.providerID == provider ? known : nil
    }

    private func identity(
        of token: String,
        from provider: String,
        _ form: FormFields
    ) async throws(Refusal) -> ForeignIdentity {
        let claims = try await claims(ofForeignToken: token, from: provider)
        if let nonce = claims.string("nonce") {
            let digest = SHA256.hash(data: Data((form["nonce"] ?? "").utf8))
            guard nonce == digest.hexadecimal else { throw Refusal("MISSING_OR_INVALID_NONCE") }
        } else if form["nonce"] != nil {
            throw Refusal("MISSING_OR_INVALID_NONCE", "The ID token has no nonce.")
        }
        guard var identity = ForeignIdentity(providerID: provider, claims: claims) else {
            throw Refusal("INVALID_IDP_RESPONSE", "The ID token has no subject.")
        }
        identity.idToken = token
        identity.accessToken = form["access_token"]
        return identity
    }

    /// Returns the identity of a browser redirect from the page, identified by the redirect's address.
    private func identity(cameBackBy url: String, _ session: String) throws(Refusal) -> ForeignIdentity {
        let query = FormFields(url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? "")
        return try withDirectory { directory, _ throws(Refusal) in
            guard let redirect = directory.redirects.values.first(where: { $0.sessionID == session }) else {
                throw Refusal("INVALID_SESSION_INFO")
            }
            guard query["state"] == redirect.state, let code = redirect.code, query["code"] == code,
                let identity = redirect.identity
            else { throw Refusal("INVALID_IDP_RESPONSE", "The code is not the one that the page issued.") }
            // A code can be used once.
            directory.redirects[redirect.state] = nil
            return identity
        }
    }

    /// Begins a sign-in at a service that has no ID tokens. Returns the members of the response, including the address
    /// of the page that the client opens in the browser.
    func beginRedirect(_ body: JSONObject, _ request: ServedRequest) throws(Refusal) -> [String: JSONValue] {
        guard let provider = body.string("providerId") else { throw Refusal("INVALID_PROVIDER_ID") }
        guard let url = body.string("continueUri") else { throw Refusal("MISSING_CONTINUE_URI") }
        guard let host = URL(string: url)?.host(), settings.authorizedDomains.contains(host) else {
            throw Refusal("INVALID_CONTINUE_URI")
        }
        let redirect = PendingRedirect(
            providerID: provider,
            continueURL: url,
            state: RandomText.make(bytes: 16),
            sessionID: body.string("sessionId") ?? RandomText.make(bytes: 16)
        )
        try withDirectory { directory, _ throws(Refusal) in directory.redirects[redirect.state] = redirect }
        return [
            "authUri": .string("\(request.site)/stand-in/sign-in?state=\(FormEncoding.escape(redirect.state))"),
            "sessionId": .string(redirect.sessionID), "providerId": .string(provider),
        ]
    }

    /// Returns the page where the user signs in to another service, with any name; after the user's answer, a redirect
    /// to the client.
    func foreignPage(_ query: FormFields) throws(Refusal) -> ServedAnswer {
        let state = query["state"] ?? ""
        let redirect = try withDirectory { directory, _ throws(Refusal) in directory.redirects[state] }
        guard let redirect else { throw .notFound("The sign-in") }
        if query["deny"] != nil {
            return .redirect(to: redirect.back(with: [("error", "access_denied"), ("state", state)]))
        }
        guard let subject = query["subject"], !subject.isEmpty else {
            return .page(Pages.foreignSignIn(redirect))
        }
        var order = ForeignTokenOrder(providerID: redirect.providerID, subject: subject)
        order.email = query["email"].flatMap { $0.isEmpty ? nil : $0 }
        order.isEmailVerified = query["unverified"] == nil
        order.name = query["name"]
        let code = RandomText.make(bytes: 16)
        var identity = order.identity
        identity.accessToken = RandomText.make(bytes: 16)
        try withDirectory { [identity] directory, _ throws(Refusal) in
            directory.redirects[state]?.code = code
            directory.redirects[state]?.identity = identity
        }
        return .redirect(to: redirect.back(with: [("code", code), ("state", state)]))
    }
}

extension PendingRedirect {
    /// Returns the redirect URL with query items.
    fileprivate func back(with items: [(name: String, value: String)]) -> String {
        continueURL + (continueURL.contains("?") ? "&" : "?") + FormEncoding.encode(items)
    }
}

extension ServedRequest {
    /// The address of this server as the client uses it.
    var site: String { "http://\(headers["Host"] ?? "127.0.0.1")" }
}
