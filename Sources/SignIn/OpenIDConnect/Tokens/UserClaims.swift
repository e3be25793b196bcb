internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// An OpenID provider's claims about a user (OpenID Connect Core §5.1).
struct UserClaims: Sendable {
    var members: JSONObject

    /// Returns the profile, or nil if there is no subject.
    func profile(signedInAt providerID: String) -> UserProfile? {
        guard let uid = members.string("sub") else { return nil }
        let (name, email) = (members.string("name"), members.string("email"))
        let (phone, photo) = (members.string("phone_number"), members.photoURL("picture"))
        // Some providers send 0 for "not known".
        let signedIn = members.seconds("auth_time").flatMap { $0 > 0 ? $0 : nil } ?? members.seconds("iat")
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

    /// Returns the members of both objects; the other's take precedence.
    func overwritten(byUserInfo other: JSONObject) -> JSONObject {
        var members = members
        // `email_verified` refers to the address in the same response.
        if other.string("email") != nil { members["email_verified"] = nil }
        return JSONObject(members: members.merging(other.members) { $1 })
    }
}
