internal import FoundationEssentials
package import SharedAuth

/// A custom token to create, as a back end of the project does.
package struct CustomTokenOrder: Sendable {
    package var uid: String
    package var claims: [String: JSONValue] = [:]
    package var tenantID: String?
    package var seconds = 3600
    /// True to issue the token for another project.
    package var isForAnotherProject = false

    package init(uid: String) { self.uid = uid }

    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    static func serviceAccount(of project: String) -> String { "stand-in@\(project).iam.gserviceaccount.com" }

    func token(for project: String, at now: Date) -> [String: JSONValue] {
        let account = Self.serviceAccount(of: isForAnotherProject ? "\(project)-other" : project)
        var members: [String: JSONValue] = [
            "iss": .string(account), "sub": .string(account), "aud": .string(Self.audience), "uid": .string(uid),
            "iat": .number(Double(now.wholeSeconds)), "exp": .number(Double(now.wholeSeconds + seconds)),
        ]
        if !claims.isEmpty { members["claims"] = .object(claims) }
        members.set("tenant_id", tenantID)
        return members
    }

    /// Throws a refusal if a custom token is for another project, has expired, or has a lifetime of over an hour.
    static func check(_ claims: [String: JSONValue], of project: String, at now: Date) throws(Refusal) {
        guard claims["iss"]?.string == serviceAccount(of: project) else { throw Refusal("CREDENTIAL_MISMATCH") }
        guard claims["aud"]?.string == audience, let issued = claims["iat"]?.number, let expiry = claims["exp"]?.number
        else { throw Refusal("INVALID_CUSTOM_TOKEN", "A claim is missing or wrong.") }
        let moment = now.timeIntervalSince1970
        guard issued <= moment + 300, expiry > moment, expiry - issued <= 3600 else {
            throw Refusal("INVALID_CUSTOM_TOKEN", "The token has expired, or lasts too long.")
        }
    }
}

/// An ID token for another service to issue to a user who signed in there.
package struct ForeignTokenOrder: Sendable {
    package var providerID: String
    package var subject: String
    package var email: String?
    package var isEmailVerified = true
    package var name: String?
    /// The `nonce` claim. For Firebase, the SHA-256 of the raw nonce in hexadecimal digits.
    package var nonce: String?
    package var audience = StandInSettings.clientID
    package var seconds = 3600

    package init(providerID: String, subject: String) {
        self.providerID = providerID
        self.subject = subject
    }

    static func issuer(of providerID: String) -> String { "https://\(providerID)/stand-in" }

    var identity: ForeignIdentity {
        var identity = ForeignIdentity(providerID: providerID, subject: subject)
        identity.email = email?.lowercased()
        identity.isEmailVerified = isEmailVerified && email != nil
        identity.name = name
        return identity
    }

    func claims(at now: Date) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": .string(Self.issuer(of: providerID)), "aud": .string(audience), "sub": .string(subject),
            "iat": .number(Double(now.wholeSeconds)), "exp": .number(Double(now.wholeSeconds + seconds)),
        ]
        claims.set("email", email)
        if email != nil { claims["email_verified"] = .bool(isEmailVerified) }
        claims.set("name", name)
        claims.set("nonce", nonce)
        return claims
    }
}
