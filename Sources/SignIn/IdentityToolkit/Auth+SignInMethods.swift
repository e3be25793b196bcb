public import SharedAuth
internal import SharedAuthHTTP

extension Auth {
    /// Returns the sign-in methods of the account with an e-mail address, such as `password` and `google.com`. The
    /// result is empty if no account has the address. It is always empty if the project has e-mail enumeration
    /// protection, the default for new projects.
    ///
    /// - Throws: `invalidEmail`, or another error from Firebase; `operationNotAllowed` if Firebase is not the identity
    ///   provider.
    public func fetchSignInMethods(forEmail email: String) async throws(AuthError) -> [String] {
        let (toolkit, tenantID) = try await toolkitAndTenant("the sign-in methods of an address")
        return try await toolkit.signInMethods(of: email, tenantID: tenantID)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func fetchSignInMethods(
        forEmail email: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable ([String]?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.fetchSignInMethods(forEmail: email) }
    }

    /// Returns the password policy of the project, or of the tenant in ``SharedAuth/Auth/tenantID``.
    ///
    /// - Throws: An error from Firebase; `operationNotAllowed` if Firebase is not the identity provider, or if this
    ///   library does not know the schema version of the policy.
    public func passwordPolicy() async throws(AuthError) -> PasswordPolicy {
        let (toolkit, tenantID) = try await toolkitAndTenant("a password policy")
        return try await toolkit.passwordPolicy(tenantID: tenantID)
    }

    /// Checks a password against the project's policy. The password is not sent. To check while the user types, get the
    /// policy once with ``passwordPolicy()`` and call ``PasswordPolicy/validate(_:)``.
    ///
    /// - Throws: The errors of ``passwordPolicy()``.
    public func validatePassword(_ password: String) async throws(AuthError) -> PasswordValidationStatus {
        try await passwordPolicy().validate(password)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func validatePassword(
        _ password: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (PasswordValidationStatus?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.validatePassword(password) }
    }

    private func toolkitAndTenant(_ what: String) async throws(AuthError) -> (IdentityToolkit, String?) {
        let identityProvider = try identityProvider()
        guard let toolkit = identityProvider as? IdentityToolkit else {
            throw .notOffered(what, by: identityProvider.issuer)
        }
        return (toolkit, try await tenantID(timeout: app?.options.timeout ?? .seconds(5)))
    }
}

extension IdentityToolkit {
    /// Returns the sign-in methods of the account with an e-mail address.
    func signInMethods(of email: String, tenantID: String?) async throws(AuthError) -> [String] {
        // Firebase requires a continue URI; no browser is redirected to it.
        var members: [String: JSONValue] = [
            "identifier": .string(email), "continueUri": .string("http://localhost"),
        ]
        if let tenantID { members["tenantId"] = .string(tenantID) }
        return try await backend.call(.createAuthURI, members).strings("signinMethods") ?? []
    }

    /// Returns the project's password policy.
    func passwordPolicy(tenantID: String?) async throws(AuthError) -> PasswordPolicy {
        let query = tenantID.map { [(name: "tenantId", value: $0)] } ?? []
        return try PasswordPolicy(try await backend.look(up: .passwordPolicy, query))
    }
}
