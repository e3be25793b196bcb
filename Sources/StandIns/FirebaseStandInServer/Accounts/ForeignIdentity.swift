internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A user's identity at another service, as that service states it.
struct ForeignIdentity: Sendable {
    let providerID: String
    /// The service's id of the user.
    let subject: String
    var email: String?
    var isEmailVerified = false
    var name: String?
    var picture: String?
    /// The tokens of the service, unchanged.
    var idToken: String?
    var accessToken: String?

    init(providerID: String, subject: String) {
        self.providerID = providerID
        self.subject = subject
    }

    /// Reads the claims of an ID token, or equivalent members.
    init?(providerID: String, claims: JSONObject) {
        guard let subject = claims.string("sub") else { return nil }
        self.init(providerID: providerID, subject: subject)
        email = claims.string("email")?.lowercased()
        isEmailVerified = claims.bool("email_verified") ?? false
        name = claims.string("name")
        picture = claims.string("picture")
    }

    func isSame(as other: ForeignIdentity) -> Bool { providerID == other.providerID && subject == other.subject }

    /// The user's id, unique among all services.
    var federatedID: String {
        providerID == "google.com" ? "https://accounts.google.com/\(subject)" : "\(providerID)/\(subject)"
    }

    /// The members of the identity in the response to a sign-in.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "providerId": .string(providerID), "federatedId": .string(federatedID), "rawUserInfo": .string(profile),
        ]
        members.set("email", email)
        if isEmailVerified { members["emailVerified"] = .bool(true) }
        members.set("displayName", name)
        members.set("fullName", name)
        members.set("photoUrl", picture)
        members.set("oauthIdToken", idToken)
        members.set("oauthAccessToken", accessToken)
        if accessToken != nil { members["oauthExpireIn"] = .number(3600) }
        return members
    }

    private var profile: String {
        var members: [String: JSONValue] = ["sub": .string(subject)]
        members.set("email", email)
        members.set("name", name)
        members.set("picture", picture)
        if isEmailVerified { members["email_verified"] = .bool(true) }
        return JSONValue.object(members).text
    }
}

/// A sign-in that waits for the user at another service's page.
struct PendingRedirect: Sendable {
    let providerID: String
    let continueURL: String
    let state: String
    /// The session id that the client keeps and must send together with the code.
    let sessionID: String
    /// The code that the page has issued.
    var code: String?
    var identity: ForeignIdentity?
}
