internal import Crypto
internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

/// A user account.
struct Account: Sendable {
    let uid: String
    let tenantID: String?
    let created: Date
    /// In lower case.
    var email: String?
    var isEmailVerified = false
    var initialEmail: String?
    var displayName: String?
    var photoURL: String?
    var password: StoredPassword?
    var signsInByLink = false
    /// True if the account signs in with custom tokens of a back end.
    var isCustom = false
    var providers: [LinkedProvider] = []
    var factors: [EnrolledFactor] = []
    var customClaims: [String: JSONValue] = [:]
    var isDisabled = false
    var lastSignIn: Date
    var lastRefresh: Date
    var validSince: Date
    /// The times of attempts with a wrong password.
    var failures: [Date] = []

    init(uid: String, tenantID: String?, at now: Date) {
        self.uid = uid
        self.tenantID = tenantID
        (created, lastSignIn, lastRefresh, validSince) = (now, now, now, now)
    }

    /// True if the account can only be reached through its first session.
    var isAnonymous: Bool { email == nil && providers.isEmpty && !isCustom }

    /// The identity of the account's user at another service.
    struct LinkedProvider: Sendable {
        let identity: ForeignIdentity

        var wire: JSONValue {
            var members: [String: JSONValue] = [
                "providerId": .string(identity.providerID), "rawId": .string(identity.subject),
                "federatedId": .string(identity.federatedID),
            ]
            members.set("email", identity.email)
            members.set("displayName", identity.name)
            members.set("photoUrl", identity.picture)
            return .object(members)
        }
    }

    /// A digest of a password.
    struct StoredPassword: Sendable {
        let changed: Date
        private let salt = RandomText.make(bytes: 16)
        private let digest: SHA256.Digest

        init(_ password: String, at now: Date) {
            changed = now
            digest = SHA256.hash(data: Data((salt + password).utf8))
        }

        func matches(_ password: String) -> Bool { SHA256.hash(data: Data((salt + password).utf8)) == digest }
    }
}

extension Account {
    /// The sign-in providers of the account, in the wire format.
    var providerInfo: [JSONValue] {
        var own: [JSONValue] = []
        if let email, password != nil || signsInByLink {
            var members: [String: JSONValue] = [
                "providerId": .string("password"), "rawId": .string(email), "federatedId": .string(email),
                "email": .string(email),
            ]
            members.set("displayName", displayName)
            members.set("photoUrl", photoURL)
            own.append(.object(members))
        }
        return own + providers.map(\.wire)
    }

    /// The account as a lookup returns it.
    var wire: JSONValue {
        var members: [String: JSONValue] = [
            "localId": .string(uid), "createdAt": .milliseconds(created), "lastLoginAt": .milliseconds(lastSignIn),
            "lastRefreshAt": .string(lastRefresh.formatted(.iso8601)),
            "validSince": .string("\(validSince.wholeSeconds)"),
        ]
        members.set("email", email)
        members.set("displayName", displayName)
        members.set("photoUrl", photoURL)
        members.set("tenantId", tenantID)
        members.set("initialEmail", initialEmail)
        // False values are left out.
        for (name, isSo) in [
            ("emailVerified", isEmailVerified), ("disabled", isDisabled), ("customAuth", isCustom),
            ("emailLinkSignin", signsInByLink),
        ] where isSo { members[name] = .bool(true) }
        if let password {
            members["passwordHash"] = .string("UkVEQUNURUQ=")
            members["passwordUpdatedAt"] = .number((password.changed.timeIntervalSince1970 * 1000).rounded())
        }
        if !customClaims.isEmpty { members["customAttributes"] = .string(JSONValue.object(customClaims).text) }
        if !providerInfo.isEmpty { members["providerUserInfo"] = .array(providerInfo) }
        if !factors.isEmpty { members["mfaInfo"] = .array(factors.map(\.wire)) }
        return .object(members)
    }
}

extension [String: JSONValue] {
    /// Sets a string member. Nil and empty strings are left out, as in Google's responses.
    mutating func set(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { self[name] = .string(text) }
    }
}

extension JSONValue {
    /// Returns milliseconds since 1970 as a string of digits.
    static func milliseconds(_ date: Date) -> JSONValue {
        .string("\(Int((date.timeIntervalSince1970 * 1000).rounded(.down)))")
    }
}

/// Random text that cannot be guessed.
enum RandomText {
    static func make(bytes count: Int) -> String { Base64URL.encode(randomBytes(count)) }
}
