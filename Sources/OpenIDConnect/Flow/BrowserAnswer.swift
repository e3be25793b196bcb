internal import SharedAuth

/// The parameters that came back with the redirect (RFC 6749 §4.1.2, RFC 9207).
struct BrowserAnswer: Sendable {
    /// Each came once.
    let parameters: [String: String]

    /// The authorization code.
    ///
    /// - Parameters:
    ///   - state: the state of the attempt.
    ///   - issuerURL: the issuer that the answer must be of; nil where the server does not name itself.
    ///   - namesIssuer: whether the server announces that its answers name it.
    /// - Throws: `webContextCancelled` if the person declined, `invalidCredential` if another issuer answered, and as
    ///   ``ServerRefusal``.
    func code(state: String, issuerURL: String?, namesIssuer: Bool) throws(AuthError) -> String {
        guard parameters["state"] == state else { throw .malformed("the redirect") }
        // Before anything else is believed, an error included.
        if let issuerURL {
            switch parameters["iss"] {
            case issuerURL: break
            case nil where !namesIssuer: break
            default:
                throw AuthError(
                    .invalidCredential,
                    "The redirect came from another issuer than the one that was asked. Nobody was signed in; try again."
                )
            }
        }
        if let error = parameters["error"] { throw ServerRefusal(error).error(of: .authorization) }
        guard let code = parameters["code"], !code.isEmpty else { throw .malformed("the redirect") }
        return code
    }
}
