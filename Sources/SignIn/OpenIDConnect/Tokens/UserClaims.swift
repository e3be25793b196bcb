internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// An OpenID provider's claims about a user (OpenID Connect Core §5.1).
struct UserClaims: Sendable {
    var members: JSONObject

    /// Returns the profile, or nil if there is no subject.
    func profile(signedInAt providerID: String) -> UserProfile? {
        guard let uid = members.string("sub") else { return nil }
        let (name, email, phone) = (members.text("name"), members.text("email"), members.text("phone_number"))
        let photo = members.text("picture").flatMap { _ in members.photoURL("picture") }
        // Some providers send 0 for "not known".
        let signedIn = members.moment("auth_time").flatMap { $0 > 0 ? $0 : nil } ?? members.moment("iat")
        return UserProfile(
            uid: uid,
            email: email,
            isEmailVerified: email != nil && members.bool("email_verified") == true,
            displayName: name,
            phoneNumber: phone,
            photoURL: photo,
            providerData: [
                UserInfo(
                    providerID: providerID,
                    uid: uid,
                    displayName: name,
                    email: email,
                    phoneNumber: phone,
                    photoURL: photo
                )
            ],
            lastSignInDate: signedIn.map { Date(timeIntervalSince1970: $0) }
        )
    }
}

extension JSONObject {
    static let empty = JSONObject(members: [:])

    /// Returns the members of both objects; the other's take precedence, unless they say nothing.
    func overwritten(byUserInfo other: JSONObject) -> JSONObject {
        var members = members
        // `email_verified` refers to the address in the same response.
        if other.text("email") != nil { members["email_verified"] = nil }
        let texts = ["name", "email", "phone_number", "picture"]
        let said = other.members.filter { name, value in
            texts.contains(name) ? other.text(name) != nil : value != .null && value != .string("")
        }
        return JSONObject(members: members.merging(said) { $1 })
    }

    /// The most bytes of a claim that a profile has. A record has to hold them, and no claim may make a sign-in fail.
    private static let longestText = 4096

    /// Returns a text that a profile may have.
    fileprivate func text(_ name: String) -> String? {
        string(name).flatMap { $0.utf8.count <= Self.longestText ? $0 : nil }
    }
}
