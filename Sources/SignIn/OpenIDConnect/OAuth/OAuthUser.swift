public import SharedAuth
internal import SharedAuthHTTP

/// The way to learn who has signed in at a plain OAuth 2 server, where no ID token says it.
public struct OAuthUser: Sendable {
    enum Source: Sendable {
        /// The endpoint that the server's metadata names.
        case published
        /// A page that answers the holder of an access token.
        case page(String, uid: String?)
        /// The introspection endpoint (RFC 7662).
        case introspection(String)
        /// The app's own call; nil if the app that has it is another one.
        case call((@Sendable (_ accessToken: String) async throws(AuthError) -> UserProfile)?)
    }

    let source: Source

    init(_ source: Source) { self.source = source }

    /// UserInfo, or else introspection (RFC 7662), as the server's metadata names them.
    public static let published = OAuthUser(.published)

    /// A page of the server that describes the holder of an access token as JSON, such as
    /// `https://api.example.com/user`.
    ///
    /// - Parameters:
    ///   - url: The URL: HTTPS, or HTTP on the loopback interface.
    ///   - member: The member that never changes for a user and that no other user has, text or a whole number; with
    ///     dots for a member of a member, such as `user.id`. Nil is `sub`, or `id` if there is no `sub`.
    public static func userInfo(at url: String, uid member: String? = nil) -> OAuthUser {
        OAuthUser(.page(url, uid: member))
    }

    /// The introspection endpoint (RFC 7662).
    public static func introspection(at url: String) -> OAuthUser { OAuthUser(.introspection(url)) }

    /// A call that the app makes.
    ///
    /// - Parameter profile: Returns the profile of the holder of an access token. It throws `userTokenExpired` if the
    ///   server no longer accepts the token, which ends a session without a refresh token, and `invalidCredential` if the
    ///   server refuses it otherwise.
    public static func call(
        _ profile: @escaping @Sendable (_ accessToken: String) async throws(AuthError) -> UserProfile
    ) -> OAuthUser { OAuthUser(.call(profile)) }
}

extension OAuthUser {
    /// The way as a record stores it, without the app's own call.
    struct Stored: Sendable, Hashable, Codable {
        var page: String?
        var uid: String?
        var introspection: String?
        var isOwnCall: Bool?
    }

    var stored: Stored {
        switch source {
        case .published: Stored()
        case .page(let address, let uid): Stored(page: address, uid: uid)
        case .introspection(let address): Stored(introspection: address)
        case .call: Stored(isOwnCall: true)
        }
    }

    init(_ stored: Stored) {
        if let page = stored.page {
            self.init(.page(page, uid: stored.uid))
        } else if let introspection = stored.introspection {
            self.init(.introspection(introspection))
        } else {
            self.init(stored.isOwnCall == true ? .call(nil) : .published)
        }
    }
}

/// The holder of an access token, as the server describes it.
struct TokenHolder: Sendable {
    /// The claims, under the names of OpenID Connect; `sub` is the uid.
    let claims: UserClaims

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - members: The places of the uid, in order of preference; with dots for a member of a member. A place is passed
    ///     over only if nothing is there: what another has would name another user.
    /// - Throws: `webInternalError` if there is no uid.
    init(_ answer: JSONObject, uid members: [String]) throws(AuthError) {
        let found = members.lazy.compactMap { Self.member(at: $0, in: answer) }.first
        guard let (value, object) = found, let uid = Self.uid(value) else {
            throw AuthError(
                .webInternalError,
                "The identity provider did not say who signed in: its answer has no "
                    + "\(members.joined(separator: " or ")) that is text or a whole number.",
                remedy: "Name the member that has the user's ID."
            )
        }
        var claims = object.members
        for (claim, others) in Self.otherNames where object.string(claim) == nil {
            claims[claim] = others.lazy.compactMap { object.string($0) }.first.map { .string($0) }
        }
        claims["sub"] = .string(uid)
        // The time at which a token or a page was issued, which changes with every refresh.
        claims["iat"] = nil
        self.claims = UserClaims(members: JSONObject(members: claims))
    }

    /// The names that servers without OpenID Connect use for its claims.
    private static let otherNames: KeyValuePairs = [
        "name": ["display_name"], "picture": ["avatar_url", "avatar"],
        "preferred_username": ["username", "login", "acct"],
    ]

    /// Returns the member at a place, and the object that has it.
    private static func member(at place: String, in answer: JSONObject) -> (value: JSONValue, object: JSONObject)? {
        var object = answer
        var names = place.split(separator: ".").map(String.init)
        guard let last = names.popLast() else { return nil }
        for name in names {
            guard let inner = JSONObject(object.members[name]) else { return nil }
            object = inner
        }
        guard let value = object.members[last] else { return nil }
        return (value, object)
    }

    private static func uid(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text):
            let isUsable = (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            return isUsable ? text : nil
        // Larger numbers are not exact in JSON: from 2^53 on, several have the same value.
        case .number(let number): return abs(number) < 0x1p53 ? Int(exactly: number).map(String.init) : nil
        default: return nil
        }
    }
}
