internal import SharedAuth

/// The parameters of the redirect (RFC 6749 §4.1.2, RFC 9207).
struct BrowserAnswer: Sendable {
    /// The parameters; each occurred once.
    let parameters: [String: String]

    /// The server's answer.
    enum Outcome: Sendable {
        /// The authorization code.
        case code(String)
        case refused(ServerRefusal)
    }

    /// Checks that the right issuer responded.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that must have responded; nil if the server does not name itself.
    ///   - namesIssuer: True if the server announces that its responses name it.
    /// - Throws: `invalidCredential` if another issuer responded.
    func check(_ issuer: IssuerName?, namesIssuer: Bool) throws(AuthError) {
        guard let issuer else { return }
        if let named = parameters["iss"] {
            if issuer.accepts(named) { return }
        } else if !namesIssuer {
            return
        }
        throw AuthError(
            .invalidCredential,
            "The redirect came from an issuer other than the requested one. No user was signed in; try again."
        )
    }

    /// Returns the outcome.
    ///
    /// - Parameter state: The state of the attempt.
    /// - Throws: `webInternalError` for another state, or without a code and an error; the errors of `check`.
    func outcome(
        state: String,
        issuer: IssuerName?,
        namesIssuer: Bool
    ) throws(AuthError) -> Outcome {
        guard parameters["state"] == state else { throw .malformed("the redirect") }
        // Checked before anything else is trusted, including an error.
        try check(issuer, namesIssuer: namesIssuer)
        if let word = parameters["error"], !word.isEmpty { return .refused(ServerRefusal(word)) }
        guard let code = parameters["code"], !code.isEmpty else { throw .malformed("the redirect") }
        return .code(code)
    }
}
