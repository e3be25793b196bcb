internal import SharedAuth

/// The parameters that an app adds to a sign-in request, such as `prompt` and `login_hint`.
struct SignInParameters: Sendable {
    /// The parameters that SharedAuth sets, and those that would change who the client is; an app cannot set them.
    static let reserved: Set<String> = [
        "client_assertion", "client_assertion_type", "client_id", "client_secret", "code", "code_challenge",
        "code_challenge_method", "code_verifier", "device_code", "grant_type", "nonce", "redirect_uri", "request",
        "request_uri", "response_mode", "response_type", "scope", "state",
    ]

    private let given: [String: String]

    /// Checks the parameters.
    ///
    /// - Throws: `operationNotAllowed` if one is reserved or has no name, or if `max_age` is no number.
    init(_ given: [String: String]) throws(AuthError) {
        if let taken = given.keys.sorted().first(where: Self.reserved.contains) {
            throw AuthError(
                .operationNotAllowed,
                taken == "scope"
                    ? "The parameter scope of a sign-in is set by SharedAuth. Set the scopes of the client."
                    : "The parameter \(taken) of a sign-in is set by SharedAuth. Leave it out."
            )
        }
        guard given.keys.allSatisfy({ !$0.isEmpty }) else {
            throw AuthError(.operationNotAllowed, "A parameter of the sign-in has no name.")
        }
        if let age = given["max_age"], !age.isEmpty, Int(age).map({ $0 < 0 }) ?? true {
            throw AuthError(.operationNotAllowed, "The parameter max_age of a sign-in is a number of seconds.")
        }
        self.given = given
    }

    /// The parameters to send; an empty value leaves one out (RFC 6749 §3.1).
    var items: [(name: String, value: String)] {
        given.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The kind of request that has these parameters.
    var request: ServerRefusal.Request { given["prompt"] == "none" ? .silentAuthorization : .authorization }

    /// The maximum age of the sign-in in seconds. The ID token must then say when the user signed in.
    var maxAge: Int? { given["max_age"].flatMap { Int($0) } }

    /// Returns the prompt to add, as the app sets none: only with the user's consent may a server grant access while
    /// the user is away (OpenID Connect Core §11).
    ///
    /// - Parameter scopes: The scopes that the app asks for.
    func prompt(for scopes: [String]) -> String? {
        given["prompt"] == nil && scopes.contains(AddedScope.offlineAccess) ? "consent" : nil
    }
}
