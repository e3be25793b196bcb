internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A person's identity at another service, as that service states it.
struct ForeignIdentity: Sendable {
    let providerID: String
    /// The service's name of the person.
    let subject: String
    var email: String?
    var isEmailVerified = false
    var name: String?
    var picture: String?
    /// What the service issued, as it came.
    var idToken: String?
    var accessToken: String?

    init(providerID: String, subject: String) {
        self.providerID = providerID
        self.subject = subject
    }

    /// Reads the claims of an ID token, or what stands for them.
    init?(providerID: String, claims: JSONObject) {
        guard let subject = claims.string("sub") else { return nil }
        self.init(providerID: providerID, subject: subject)
        email = claims.string("email")?.lowercased()
        isEmailVerified = claims.bool("email_verified") ?? false
        name = claims.string("name")
        picture = claims.string("picture")
    }

    func isSame(as other: ForeignIdentity) -> Bool { providerID == other.providerID && subject == other.subject }

    /// The person's name as one that no other service uses.
    var federatedID: String {
        providerID == "google.com" ? "https://accounts.google.com/\(subject)" : "\(providerID)/\(subject)"
    }

    /// What an answer to a sign-in has of it.
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

/// A person who is at another service's page.
struct PendingRedirect: Sendable {
    let providerID: String
    let continueURL: String
    let state: String
    /// The client keeps it, and has to show it together with the code.
    let sessionID: String
    /// What the page answered with.
    var code: String?
    var identity: ForeignIdentity?
}
