import SharedAuth
import SharedAuthHTTP
import Testing

@testable import OpenIDConnect

/// A plain OAuth 2 server as it is deployed, as data: what its responses have that the scripted issuer's own do not.
struct PlainServer: Sendable, CustomTestStringConvertible {
    let name: String
    var testDescription: String { name }

    // MARK: The server and its client

    /// The changes of the scripted issuer's metadata; nil for a server that publishes none.
    var metadata: [String: JSONValue?]?
    var offersDeviceCodes = false
    var revokes = false
    /// The members that a registration needs besides those of RFC 7591; nil if the client is registered by hand.
    var registration: [String: JSONValue]?
    var secret: String?
    var scopes: [String]

    // MARK: The user

    /// The page that describes the user.
    var page: [String: JSONValue]
    /// The member with the uid; nil for UserInfo in the metadata.
    var uidMember: String?
    let uid: String
    let displayName: String?

    // MARK: Tokens

    /// The seconds that an access token is valid; nil if it never expires.
    var lifetime: Int?
    var givesRefreshToken = false
    var rotates = true
    var tokenMembers: [String: JSONValue] = [:]
    /// True if answers are forms, whose errors have the status 200.
    var answersWithForms = false

    // MARK: The end of a session

    /// The word with which a refresh is refused then.
    var deadRefresh = "invalid_grant"
    /// The response to the access token then.
    var deadAccess = HTTPResponse(status: 401)
    /// True if the server says that the session has ended; otherwise it only refuses.
    let saysEnd: Bool
}

extension PlainServer {
    static let all = [mastodon, mastodonWithMetadata, gitHub, gitHubApp, openStreetMap, inoreader, feedly]

    private static let deadAtDoorkeeper = HTTPResponse(
        status: 401,
        headers: [
            "WWW-Authenticate":
                "Bearer realm=\"Doorkeeper\", error=\"invalid_token\", error_description=\"It was revoked\""
        ]
    )

    private static let account: [String: JSONValue] = [
        "id": "14715", "username": "ada", "acct": "ada", "display_name": "Ada Lovelace", "locked": .bool(false),
        "avatar": "https://issuer.example/ada.png", "fields": .array([]), "source": .object(["privacy": "public"]),
    ]

    /// docs.joinmastodon.org: methods/apps (its own way to register, with `scopes` and a secret), methods/oauth (no
    /// lifetime, no refresh token, `created_at`), entities/Account.
    static let mastodon = PlainServer(
        name: "Mastodon",
        revokes: true,
        registration: ["scopes": "read write:statuses"],
        scopes: ["read", "write:statuses"],
        page: account,
        uidMember: "id",
        uid: "14715",
        displayName: "Ada Lovelace",
        tokenMembers: ["token_type": "Bearer", "scope": "read write:statuses", "created_at": 1_573_979_017],
        deadAccess: deadAtDoorkeeper,
        saysEnd: true
    )

    /// docs.joinmastodon.org/spec/oauth: metadata since 4.3, where apps register at `app_registration_endpoint`, and
    /// UserInfo since 4.4, whose `sub` is an address.
    static let mastodonWithMetadata = PlainServer(
        name: "Mastodon with metadata",
        metadata: [
            "app_registration_endpoint": .string("\(ScriptedIssuer.issuerURL)/api/v1/apps"),
            "scopes_supported": .array(["read", "profile", "write"]),
            "token_endpoint_auth_methods_supported": .array(["client_secret_basic", "client_secret_post"]),
        ],
        revokes: true,
        secret: "hush",
        scopes: ["read", "profile"],
        page: ["iss": "https://issuer.example/", "sub": "https://issuer.example/users/ada", "name": "Ada Lovelace"],
        uid: "https://issuer.example/users/ada",
        displayName: "Ada Lovelace",
        tokenMembers: ["token_type": "Bearer", "scope": "read profile", "created_at": 1_573_979_017],
        deadAccess: deadAtDoorkeeper,
        saysEnd: true
    )

    private static let gitHubUser: [String: JSONValue] = [
        "login": "ada", "id": 583_231, "node_id": "MDQ6VXNlcjE=", "avatar_url": "https://issuer.example/u/583231",
        "name": "Ada Lovelace", "email": .null, "two_factor_authentication": .bool(true),
    ]

    /// docs.github.com: apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps (forms, scopes with commas, errors
    /// with status 200, no lifetime).
    static let gitHub = PlainServer(
        name: "GitHub",
        offersDeviceCodes: true,
        scopes: ["read:user", "repo"],
        page: gitHubUser,
        uidMember: "id",
        uid: "583231",
        displayName: "Ada Lovelace",
        tokenMembers: ["token_type": "bearer", "scope": "read:user,repo"],
        answersWithForms: true,
        deadAccess: .json(["message": "Bad credentials", "status": "401"], status: 401),
        saysEnd: false
    )

    /// docs.github.com: apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens (eight
    /// hours, a new refresh token at each refresh, no scopes).
    static let gitHubApp = PlainServer(
        name: "GitHub App",
        offersDeviceCodes: true,
        scopes: [],
        page: gitHubUser,
        uidMember: "id",
        uid: "583231",
        displayName: "Ada Lovelace",
        lifetime: 28800,
        givesRefreshToken: true,
        tokenMembers: ["token_type": "bearer", "scope": "", "refresh_token_expires_in": "15811200"],
        answersWithForms: true,
        deadRefresh: "bad_refresh_token",
        deadAccess: .json(["message": "Bad credentials", "status": "401"], status: 401),
        saysEnd: false
    )

    /// wiki.openstreetmap.org: OAuth (Doorkeeper, tokens without a lifetime), API_v0.6 (the user in a member).
    static let openStreetMap = PlainServer(
        name: "OpenStreetMap",
        revokes: true,
        scopes: ["read_prefs", "write_api"],
        page: [
            "version": "0.6", "generator": "OpenStreetMap server",
            "user": .object([
                "id": 1234, "display_name": "Ada Lovelace", "account_created": "2010-01-01T00:00:00Z",
                "img": .object(["href": "https://issuer.example/ada.png"]), "roles": .array([]),
            ]),
        ],
        uidMember: "user.id",
        uid: "1234",
        displayName: "Ada Lovelace",
        tokenMembers: ["token_type": "Bearer", "scope": "read_prefs write_api", "created_at": 1_646_669_786],
        deadAccess: HTTPResponse(status: 401, body: Array("Couldn't authenticate you".utf8)),
        saysEnd: false
    )

    /// inoreader.com/developers: oauth (a secret in the form, a day), user-info.
    static let inoreader = PlainServer(
        name: "Inoreader",
        secret: "hush",
        scopes: ["read", "write"],
        page: ["userId": "1005921515", "userName": "ada", "userEmail": "ada@example.com"],
        uidMember: "userId",
        uid: "1005921515",
        displayName: nil,
        lifetime: 86400,
        givesRefreshToken: true,
        tokenMembers: ["token_type": "Bearer", "scope": "read write"],
        saysEnd: true
    )

    /// developers.feedly.com: v3/auth (a week, no refresh token at a refresh, members about the user), v3/profile.
    static let feedly = PlainServer(
        name: "Feedly",
        secret: "hush",
        scopes: ["https://cloud.feedly.com/subscriptions"],
        page: ["id": "c805fcbf-3acf-4302-a97e-d82f9d7c897f", "givenName": "Ada", "fullName": "Ada Lovelace"],
        uidMember: "id",
        uid: "c805fcbf-3acf-4302-a97e-d82f9d7c897f",
        displayName: nil,
        lifetime: 604_800,
        givesRefreshToken: true,
        rotates: false,
        tokenMembers: ["token_type": "Bearer", "id": "c805fcbf-3acf-4302-a97e-d82f9d7c897f", "plan": "standard"],
        saysEnd: true
    )
}
