import SharedAuth
import SharedAuthHTTP
import Testing

@testable import OpenIDConnect

/// An identity provider as it is deployed, as data: what its responses have that the scripted issuer's own do not.
struct DeployedIssuer: Sendable, CustomTestStringConvertible {
    /// A refusal in the provider's words.
    struct Refusal: Sendable {
        let status: Int
        let word: String
        let others: [String: JSONValue]

        init(_ word: String, status: Int = 400, _ others: [String: JSONValue] = [:]) {
            (self.word, self.status, self.others) = (word, status, others)
        }

        var response: HTTPResponse {
            .json(others.merging(["error": .string(word)]) { $1 }, status: status)
        }
    }

    /// The sign-in with a code on another device.
    struct Device: Sendable {
        var pending = Refusal("authorization_pending")
        var slowDown: Refusal? = Refusal("slow_down")
        var declined: Refusal? = Refusal("access_denied")
        var expired = Refusal("expired_token")
        /// Changes the response with the codes.
        var codes: [String: JSONValue?] = [:]
    }

    /// The end of a session at the provider (RFC 7009).
    struct Revocation: Sendable {
        /// The response for a token that the provider does not know; nil for one of success.
        var unknown: Refusal?
        /// The response for an access token; nil for one of success.
        var accessToken: Refusal?
        /// True if the revocation of an access token ends the session.
        var endsSessionWithAccessToken = false
        var success = HTTPResponse(status: 200)
    }

    /// The scopes that a token response names.
    enum NamedScopes: Sendable {
        case none
        /// The requested ones, under the names that the profile has for them.
        case requested
        /// Those of the sign-in, whatever a refresh requests.
        case ofSignIn
    }

    enum IDTokenAtRefresh: Sendable {
        case always
        /// Only in the responses with an odd number.
        case everySecond
        /// Only without scopes, or with `openid` among them.
        case withScopeOpenID
    }

    enum UserInfoResponse: Sendable {
        /// JSON with these members, besides the scripted issuer's.
        case claims([String: JSONValue])
        /// A JSON Web Token.
        case signed
        case notOffered
    }

    var name: String
    var testDescription: String { name }

    /// Returns the profile of the same provider in another version or situation.
    func changed(_ name: String, _ change: (inout DeployedIssuer) -> Void) -> DeployedIssuer {
        var profile = self
        profile.name = "\(self.name), \(name)"
        change(&profile)
        return profile
    }

    // MARK: Discovery and keys

    var issuerURL = ScriptedIssuer.issuerURL
    /// Changes the discovery document; nil removes a member.
    var metadata: [String: JSONValue?] = [:]
    /// The labels that the published keys lack.
    var missingKeyLabels: Set<String> = []
    /// The keys that are published besides the one that signs.
    var otherKeys: [JSONValue] = []
    /// The name under which ID tokens are signed with Ed25519; nil for ES256.
    var ed25519: String?

    // MARK: Tokens

    var clientSecret: String?
    var scopes = ["openid", "profile", "email"]
    var tokenType: JSONValue = "Bearer"
    var expiresIn: JSONValue = 3600
    var idTokenLifetime: Double = 3600
    /// The other members of a token response.
    var tokenMembers: [String: JSONValue] = [:]
    var namedScopes = NamedScopes.requested
    /// The provider's names of scopes, by the requested ones.
    var namesOfScopes: [String: String] = [:]
    /// Changes the claims of ID tokens; nil removes one.
    var claims: [String: JSONValue?] = [:]
    /// True if ID tokens have the time of the sign-in.
    var givesAuthTime = false
    /// True if the ID tokens of refreshes have a later time.
    var movesAuthTime = false
    /// True if the ID tokens of refreshes have the nonce of the sign-in.
    var keepsNonce = false
    var idTokenAtRefresh = IDTokenAtRefresh.always
    var rotates = true

    // MARK: Refusals

    /// The refusal of a refresh with a token that is expired, revoked or used.
    var deadSession = Refusal("invalid_grant")
    /// The refusal of a refresh while the provider, or what it relies on, is out of order.
    var outage = Refusal("server_error", status: 500)
    /// The refusal of a refresh with scopes that are not granted; nil if they are ignored.
    var unknownScope: Refusal? = Refusal("invalid_scope")
    /// Indicates whether this refusal says that the user has to consent.
    var asksForConsent: Bool { unknownScope?.others["suberror"] == .string("consent_required") }
    /// The scopes that a refresh may request.
    var narrowerScopes: Set<String> = ["email"]
    var device: Device? = Device()
    var revocation: Revocation? = Revocation()
    var userInfo = UserInfoResponse.claims([:])
    var userInfoRefusal = Refusal("invalid_token", status: 401).response
}
