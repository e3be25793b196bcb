internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth

// Dynamic client registration: issues client credentials for a software statement, and access tokens for credentials.

extension Route {
    static let registration = [
        Route("register", "POST", "o/client/register") { state, call, now throws(Refusal) in
            try state.register(call, now)
        },
        Route("token", "POST", "o/client/token") { state, call, now throws(Refusal) in try state.token(call, now) },
    ]
}

extension ServerState {
    fileprivate mutating func register(_ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        guard let json = call.json, let statement = json["software_statement"]?.string else {
            throw .registration(
                400,
                "invalid_request",
                "There is no software_statement, or the Content-Type of the body is not JSON."
            )
        }
        guard call[header: "X-Device-Info"] == nil || call.namesDevice else {
            throw .registration(400, "invalid_request", "The header X-Device-Info does not name the device's model.")
        }
        do throws(SoftwareStatements.Flaw) {
            try statements.check(statement, now: now)
        } catch {
            throw .registration(400, error.rawValue, "The software statement is not accepted.")
        }
        let redirectURL = json["redirect_uri"]?.string
        if let redirectURL, !redirectURL.contains("://") {
            throw .registration(400, "invalid_redirect_uri", "The redirect_uri is not an address.")
        }
        let client = registrations.register(statement, redirectURL: redirectURL, now: now)
        let members: [String: JSONValue] = [
            "client_id": .string(client.id), "client_secret": .string(client.secret), "client_id_issued_at": .time(now),
            "redirect_uris": .array([redirectURL.map(JSONValue.string)].compactMap(\.self)),
            "grant_types": .array([.string("client_credentials")]), "scopes": .array([.string("api:client:v2")]),
        ]
        return .json(.object(members), status: 201)
    }

    fileprivate mutating func token(_ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        let form = call.form
        guard let id = form["client_id"], let secret = form["client_secret"], let grant = form["grant_type"] else {
            throw .registration(400, "invalid_request", "client_id, client_secret or grant_type is missing.")
        }
        guard grant == "client_credentials" else {
            throw .registration(400, "unsupported_grant_type", "The grant_type must be client_credentials.")
        }
        guard let client = registrations.client(id, secret: secret) else {
            throw .registration(400, "invalid_client", "There is no such client. Register again.")
        }
        guard statements.isInForce(client.statement) else {
            throw .registration(400, "unauthorized_client", "The software statement was revoked.")
        }
        let token = registrations.issue(to: client, expires: now + controls.lifetimes.accessToken)
        let members: [String: JSONValue] = [
            "id": .string(UUID().uuidString.lowercased()), "access_token": .string(token), "created_at": .time(now),
            "expires_in": .number(controls.lifetimes.accessToken), "token_type": .string("bearer"),
        ]
        return .json(.object(members), status: 201)
    }
}
