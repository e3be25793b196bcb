internal import SharedAuth

/// The parameters of the redirect (RFC 6749 §4.1.2, RFC 9207).
struct BrowserAnswer: Sendable {
    /// The parameters; each occurred once.
    let parameters: [String: String]
    /// True if the request had `prompt=none`.
    var isSilent = false

    /// Returns the authorization code.
    ///
    /// - Parameters:
    ///   - state: The state of the attempt.
    ///   - issuerURL: The issuer that must have responded; nil if the server does not name itself.
    ///   - namesIssuer: True if the server announces that its responses name it.
    /// - Throws: `webContextCancelled` if the user declined; `invalidCredential` if another issuer responded;
    ///   `webInternalError` for another state or without a code; the errors of ``ServerRefusal``.
    func code(state: String, issuerURL: String?, namesIssuer: Bool) throws(AuthError) -> String {
        guard parameters["state"] == state else { throw .malformed("the redirect") }
        // Checked before anything else is trusted, including an error.
        if let issuerURL {
            switch parameters["iss"] {
            case issuerURL: break
            case nil where !namesIssuer: break
            default:
                throw AuthError(
                    .invalidCredential,
                    "The redirect came from an issuer other than the requested one. No user was signed in; try again."
                )
            }
        }
        if let word = parameters["error"], !word.isEmpty {
            throw ServerRefusal(word).error(of: isSilent ? .silentAuthorization : .authorization)
        }
        guard let code = parameters["code"], !code.isEmpty else { throw .malformed("the redirect") }
        return code
    }
}
