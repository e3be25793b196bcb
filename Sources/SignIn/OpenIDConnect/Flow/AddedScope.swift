internal import SharedAuth

/// The scope that SharedAuth adds to a sign-in by itself, so that the session can be refreshed. Whoever cannot have it
/// signs in without it.
enum AddedScope {
    static let offlineAccess = "offline_access"

    /// Error codes that certainly say something else than that a scope is not granted, besides those about the user
    /// or a code.
    private static let otherWords: Set<String> = [
        "authorization_pending", "incorrect_client_credentials", "invalid_client", "invalid_request_object",
        "invalid_request_uri", "invalid_target",
        "registration_not_supported", "request_not_supported", "request_uri_not_supported", "slow_down",
        "unmet_authentication_requirements", "unsupported_grant_type", "unsupported_response_type", "use_dpop_nonce",
    ]

    /// Returns whether the server may have refused the scope. Servers say so with many words, `invalid_scope` and
    /// `not_allowed` among them.
    static func mayBeRefused(by refusal: ServerRefusal, of request: ServerRefusal.Request) -> Bool {
        refusal.verdict(of: request) == .refused && !refusal.word.isEmpty && !refusal.isAboutUserOrCode
            && !otherWords.contains(refusal.word)
    }

    /// Returns whether the server has probably refused the scope, when the user's sign-in was already spent: the error
    /// then names the scope, so a word that is usual for something else does not count.
    static func isProbablyRefused(by refusal: ServerRefusal, of request: ServerRefusal.Request) -> Bool {
        mayBeRefused(by: refusal, of: request) && !["invalid_request", "unauthorized_client"].contains(refusal.word)
            && !refusal.word.hasPrefix("unsupported_")
    }

    /// The error of a refusal that came when the user's sign-in was already spent.
    static func error(_ scope: String, _ refusal: ServerRefusal) -> AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider refused the sign-in (\(refusal.quoted)), perhaps because of the scope \(scope), "
                + "which SharedAuth added as the provider lists it.",
            remedy: "Sign in again: the scope is now left out. To never add it, set addsOfflineAccess to false."
        )
    }

    /// Advice about a page that refuses the scope, which no server tells the app.
    static func advice(_ scope: String) -> String {
        "If the page refused the scope \(scope), which SharedAuth added, set addsOfflineAccess to false."
    }
}
