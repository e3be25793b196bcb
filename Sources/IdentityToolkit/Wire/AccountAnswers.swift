internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Reads accounts and their sessions from answers.
extension JSONObject {
    /// The tokens of a sign-in or a change; nil if there are none.
    ///
    /// - Throws: `malformedJWT` if nothing says how long they last.
    func tokens(at now: Date) throws(AuthError) -> UserTokens? {
        guard let idToken = string("idToken"), let refreshToken = string("refreshToken") else { return nil }
        return try Self.tokens(idToken, refreshToken, lifetime: seconds("expiresIn"), at: now)
    }

    /// The tokens of a refresh, which may leave the refresh token as it is; nil if there are none.
    ///
    /// - Throws: `malformedJWT` if nothing says how long they last.
    func refreshedTokens(present: String, at now: Date) throws(AuthError) -> UserTokens? {
        guard let idToken = string("id_token") ?? string("access_token") else { return nil }
        return try Self.tokens(
            idToken,
            string("refresh_token") ?? present,
            lifetime: seconds("expires_in"),
            at: now
        )
    }

    /// The time that is left counts by this machine's clock from now, so that a wrong clock does no harm.
    private static func tokens(
        _ idToken: String,
        _ refreshToken: String,
        lifetime: Double?,
        at now: Date
    ) throws(AuthError) -> UserTokens {
        guard let lifetime = lifetime ?? TokenClaims(idToken)?.lifetime else {
            throw AuthError(.malformedJWT, "The ID token of Firebase is not a readable JSON Web Token. Try again.")
        }
        return UserTokens(
            idToken: idToken,
            refreshToken: refreshToken,
            expirationDate: now.addingTimeInterval(lifetime)
        )
    }

    /// The profile of an account that was looked up; nil if it has no uid.
    ///
    /// - Parameter claims: those of the session's ID token.
    func profile(_ claims: TokenClaims?) -> UserProfile? {
        guard let uid = string("localId") else { return nil }
        let providers = providers ?? []
        let hasPassword = string("email") != nil && string("passwordHash") != nil
        return UserProfile(
            uid: uid,
            isAnonymous: claims?.isAnonymous == true && !hasPassword && providers.isEmpty,
            email: string("email"),
            isEmailVerified: bool("emailVerified") ?? false,
            displayName: string("displayName"),
            phoneNumber: string("phoneNumber"),
            photoURL: accountPhotoURL,
            tenantID: string("tenantId"),
            providerData: providers,
            creationDate: instant("createdAt"),
            lastSignInDate: instant("lastLoginAt"),
            enrolledFactors: factors
        )
    }

    /// The photo that the app set, whatever its scheme; one that a service gave is as in ``photoURL(_:)``.
    private var accountPhotoURL: URL? {
        guard let text = string("photoUrl") ?? string("profilePicture") else { return nil }
        let isOfService = objects("providerUserInfo").contains { $0.string("photoUrl") == text }
        return isOfService ? HTTPOrigin.photoURL(text) : URL(string: text)
    }

    /// The ways to sign in, in the server's order; nil if the answer does not have them.
    var providers: [UserInfo]? {
        guard members["providerUserInfo"] != nil else { return nil }
        return objects("providerUserInfo").compactMap { provider in
            guard let id = provider.string("providerId") else { return nil }
            let uid = provider.string("rawId") ?? provider.string("federatedId") ?? provider.string("email")
            return UserInfo(
                providerID: id,
                uid: uid ?? provider.string("phoneNumber") ?? "",
                displayName: provider.string("displayName"),
                email: provider.string("email"),
                phoneNumber: provider.string("phoneNumber"),
                photoURL: provider.photoURL("photoUrl")
            )
        }
    }

    /// The second factors.
    var factors: [MultiFactorInfo] {
        objects("mfaInfo").compactMap { factor in
            guard let id = factor.string("mfaEnrollmentId") else { return nil }
            let kinds = [("totpInfo", TOTPMultiFactorGenerator.id), ("phoneInfo", "phone"), ("emailInfo", "email")]
            return MultiFactorInfo(
                uid: id,
                factorID: kinds.first { factor.members[$0.0] != nil }?.1 ?? "unknown",
                displayName: factor.string("displayName"),
                enrollmentDate: factor.date("enrolledAt")
            )
        }
    }

    /// The credential that another service issued, as the server has it.
    ///
    /// - Parameter given: what the sign-in was made with.
    func oauthCredential(given: OAuthCredential, at now: Date) -> OAuthCredential? {
        let names = ["oauthIdToken", "oauthAccessToken", "pendingToken"]
        guard names.contains(where: { string($0) != nil }) else { return nil }
        var credential = OAuthCredential(
            providerID: string("providerId") ?? given.providerID,
            idToken: string("oauthIdToken"),
            rawNonce: given.rawNonce,
            accessToken: string("oauthAccessToken").map { token in
                let expiry = seconds("oauthExpireIn").map { now.addingTimeInterval($0) }
                return AccessToken(token: token, expirationDate: expiry ?? .distantFuture)
            },
            refreshToken: string("oauthRefreshToken"),
            secret: string("oauthTokenSecret")
        )
        credential.pendingToken = string("pendingToken")
        return credential
    }

    /// Returns the claims of the other service about its account.
    func details(_ credential: OAuthCredential?) -> IdentityGrant.Details {
        let profile = string("rawUserInfo").flatMap { JSONObject($0.utf8) }
        return IdentityGrant.Details(
            username: string("screenName") ?? profile?.string("login"),
            profile: profile?.members,
            credential: credential
        )
    }

    /// A date as text (RFC 3339).
    func date(_ name: String) -> Date? {
        guard let text = string(name) else { return nil }
        return (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// A date in milliseconds since 1970, as a number or its digits.
    private func instant(_ name: String) -> Date? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        return number.map { Date(timeIntervalSince1970: $0 / 1000) }
    }
}
