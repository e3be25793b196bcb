internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Reads accounts and their sessions from responses.
extension JSONObject {
    /// Returns the tokens of a sign-in or a change; nil unless the response has an ID token and a refresh token.
    ///
    /// - Throws: `malformedJWT` if neither the response nor the ID token has a lifetime.
    func tokens(at now: Date) throws(AuthError) -> UserTokens? {
        guard let idToken = string("idToken"), let refreshToken = string("refreshToken") else { return nil }
        return try Self.tokens(idToken, refreshToken, lifetime: seconds("expiresIn"), at: now)
    }

    /// Returns the tokens of a refresh, or nil if the response has no ID token. Keeps the present refresh token if there
    /// is no new one.
    ///
    /// - Throws: `malformedJWT` if neither the response nor the ID token has a lifetime.
    func refreshedTokens(present: String, at now: Date) throws(AuthError) -> UserTokens? {
        guard let idToken = string("id_token") ?? string("access_token") else { return nil }
        return try Self.tokens(
            idToken,
            string("refresh_token") ?? present,
            lifetime: seconds("expires_in"),
            at: now
        )
    }

    /// Computes the expiration from the lifetime and this machine's clock, so that a wrong clock does no harm.
    private static func tokens(
        _ idToken: String,
        _ refreshToken: String,
        lifetime: Double?,
        at now: Date
    ) throws(AuthError) -> UserTokens {
        guard let lifetime = lifetime ?? TokenClaims(idToken)?.lifetime else {
            throw AuthError(
                .malformedJWT,
                "Firebase's response does not say how long the ID token is valid. Try again."
            )
        }
        return UserTokens(
            idToken: idToken,
            refreshToken: refreshToken,
            expirationDate: now.addingTimeInterval(lifetime)
        )
    }

    /// Returns the profile of one user in a lookup's response, or nil if that user has no uid.
    ///
    /// - Parameter claims: The claims of the session's ID token.
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

    /// The photo: a URL that the app set may have any scheme; one from a service is restricted as in ``photoURL(_:)``.
    private var accountPhotoURL: URL? {
        guard let text = string("photoUrl") ?? string("profilePicture") else { return nil }
        // The entry of the account's own password repeats its photo.
        let isOfService = objects("providerUserInfo").contains {
            $0.string("providerId") != EmailAuthProvider.id && $0.string("photoUrl") == text
        }
        return isOfService ? HTTPOrigin.photoURL(text) : URL(string: text)
    }

    /// The sign-in methods, in the server's order; nil if the response does not have them.
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

    /// Returns the credential that another service issued, from the server's response.
    ///
    /// - Parameter given: The credential that the sign-in was made with.
    func oauthCredential(given: OAuthCredential, at now: Date) -> OAuthCredential? {
        let names = ["oauthIdToken", "oauthAccessToken", "pendingToken"]
        guard names.contains(where: { string($0) != nil }) else { return nil }
        return OAuthCredential(
            providerID: string("providerId") ?? given.providerID,
            idToken: string("oauthIdToken"),
            rawNonce: given.rawNonce,
            accessToken: string("oauthAccessToken").map { token in
                let expiry = seconds("oauthExpireIn").map { now.addingTimeInterval($0) }
                return AccessToken(token: token, expirationDate: expiry ?? .distantFuture)
            },
            refreshToken: string("oauthRefreshToken"),
            secret: string("oauthTokenSecret"),
            pendingToken: string("pendingToken")
        )
    }

    /// Returns the username and profile that the other service reports about its account, with the credential.
    func details(_ credential: OAuthCredential?) -> IdentityGrant.Details {
        let profile = string("rawUserInfo").flatMap { JSONObject($0.utf8) }
        return IdentityGrant.Details(
            username: string("screenName") ?? profile?.string("login"),
            profile: profile?.members,
            credential: credential
        )
    }

    /// Parses a member in the format of RFC 3339; nil if it is missing or malformed.
    func date(_ name: String) -> Date? {
        guard let text = string(name) else { return nil }
        return (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// Parses a member in milliseconds since 1970, a number or a text; nil if it is neither.
    private func instant(_ name: String) -> Date? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        return number.map { Date(timeIntervalSince1970: $0 / 1000) }
    }
}
