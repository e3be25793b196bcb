public import SharedAuth
internal import SharedAuthHTTP

extension Auth {
    /// The ways to sign in that the account of an address has, e.g. `password` and `google.com`. Empty for an address that has no
    /// account, and for every address where the project protects addresses, as new projects do.
    ///
    /// - Throws: `invalidEmail`, or what else Firebase says; `operationNotAllowed` without Firebase as the identity provider.
    public func fetchSignInMethods(forEmail email: String) async throws(AuthError) -> [String] {
        let (toolkit, tenantID) = try await toolkitAndTenant("the ways to sign in of an address")
        return try await toolkit.signInMethods(of: email, tenantID: tenantID)
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func fetchSignInMethods(
        forEmail email: String,
        completion: (@Sendable ([String]?, AuthError?) -> Void)? = nil
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.fetchSignInMethods(forEmail: email) }
    }

    /// Returns the rules for passwords of the project, or of the tenant of ``SharedAuth/Auth/tenantID``.
    ///
    /// - Throws: what Firebase says; `operationNotAllowed` without Firebase as the identity provider, or for a kind of policy that is
    ///   not known here.
    public func passwordPolicy() async throws(AuthError) -> PasswordPolicy {
        let (toolkit, tenantID) = try await toolkitAndTenant("a policy for passwords")
        return try await toolkit.passwordPolicy(tenantID: tenantID)
    }

    /// Compares a password with the project's policy. The password itself stays here: to do so again as the person types, get the
    /// policy once, with ``passwordPolicy()``, and use ``PasswordPolicy/validate(_:)``.
    ///
    /// - Throws: as ``passwordPolicy()``.
    public func validatePassword(_ password: String) async throws(AuthError) -> PasswordValidationStatus {
        try await passwordPolicy().validate(password)
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func validatePassword(
        _ password: String,
        completion: @escaping @Sendable (PasswordValidationStatus?, AuthError?) -> Void
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
    /// The ways to sign in that the account of an address has.
    func signInMethods(of email: String, tenantID: String?) async throws(AuthError) -> [String] {
        // Nobody is sent there: the call has to have a page.
        var members: [String: JSONValue] = [
            "identifier": .string(email), "continueUri": .string("http://localhost"),
        ]
        if let tenantID { members["tenantId"] = .string(tenantID) }
        return try await backend.call(.createAuthURI, members).strings("signinMethods") ?? []
    }

    /// Returns the rules of the project for passwords.
    func passwordPolicy(tenantID: String?) async throws(AuthError) -> PasswordPolicy {
        let query = tenantID.map { [(name: "tenantId", value: $0)] } ?? []
        return try PasswordPolicy(try await backend.look(up: .passwordPolicy, query))
    }
}
