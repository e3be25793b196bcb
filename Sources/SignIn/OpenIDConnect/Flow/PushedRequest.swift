internal import SharedAuth
internal import SharedAuthHTTP

/// A sign-in request that is sent to the server directly, so that the browser carries only a reference to it (RFC
/// 9126).
struct PushedRequest: Sendable {
    let target: any SignInTarget
    let items: [(name: String, value: String)]

    /// The server's answer.
    enum Answer: Sendable {
        /// The server does not support pushed requests.
        case notOffered
        /// The parameters that replace the request in the browser.
        case reference([(name: String, value: String)])
        case refused(ServerRefusal)
    }

    /// Sends the request.
    ///
    /// - Throws: `webInternalError` for an invalid response.
    func answer(at server: ServerMetadata) async throws(AuthError) -> Answer {
        guard let endpoint = server.pushedRequestEndpoint else { return .notOffered }
        let client = target.authentication(at: server)
        let known = Set(client.parameters.map(\.name))
        let form = items.filter { !known.contains($0.name) }
        switch try await target.backchannel.post(form, to: endpoint, as: client, "the reference to the sign-in") {
        case .refused(let refusal): return .refused(refusal)
        case .object(let answer):
            guard let reference = answer.string("request_uri"), reference.utf8.count <= 2048,
                reference.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw .lacking("request_uri", in: "reference to the sign-in") }
            return .reference([("client_id", target.clientID), ("request_uri", reference)])
        }
    }
}
