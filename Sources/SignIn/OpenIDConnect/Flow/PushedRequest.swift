internal import SharedAuth
internal import SharedAuthHTTP

/// A sign-in request that is sent to the server directly, so that the browser carries only a reference to it (RFC
/// 9126).
struct PushedRequest: Sendable {
    let target: any SignInTarget
    let items: [(name: String, value: String)]

    /// Returns the parameters that replace the request in the browser. Returns nil if the server does not support
    /// pushed requests, or if it refuses this one but does not require them.
    ///
    /// - Throws: The server's refusal, if it requires pushed requests; `webInternalError` for an invalid response.
    func reference(at server: ServerMetadata) async throws(AuthError) -> [(name: String, value: String)]? {
        guard let endpoint = server.pushedRequestEndpoint else { return nil }
        let client = target.authentication(at: server)
        let known = Set(client.parameters.map(\.name))
        let form = items.filter { !known.contains($0.name) }
        switch try await target.backchannel.post(form, to: endpoint, as: client, "the reference to the sign-in") {
        case .refused(let refusal):
            if server.requiresPushedRequests { throw refusal.error(of: .authorization) }
            return nil
        case .object(let answer):
            guard let reference = answer.string("request_uri"), reference.utf8.count <= 2048,
                reference.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw .malformed("the reference to the sign-in") }
            return [("client_id", target.clientID), ("request_uri", reference)]
        }
    }
}
