internal import FoundationEssentials
internal import SharedAuth

/// An account as stored. Times are in whole seconds since 1970.
struct LocalAccount: Sendable, Hashable, Codable {
    /// The maximum number of sessions of an account.
    static let sessionLimit = 64

    let uid: String
    let tenantID: String?
    var email: String?
    var password: PasswordHash?
    var displayName: String?
    var photoURL: URL?
    var isDisabled = false
    let created: Int
    private(set) var signedIn: Int
    private(set) var sessions: [Session] = []

    /// Creates an account. Without an address it is anonymous.
    init(uid: String, tenantID: String?, email: String? = nil, password: PasswordHash? = nil, created: Int) {
        self.uid = uid
        self.tenantID = tenantID
        self.email = email
        self.password = password
        self.created = created
        signedIn = created
    }

    var isAnonymous: Bool { email == nil }

    /// The time when the account was last used.
    var used: Int { sessions.map(\.used).max() ?? signedIn }

    /// Adds a session. If there are too many, ends the least recently used one.
    mutating func begin(_ session: Session) {
        while sessions.count >= Self.sessionLimit { endOldestSession() }
        sessions.append(session)
        signedIn = session.started
    }

    /// The last use of the least recently used session; nil if no other session was used later.
    var oldestSession: Int? {
        guard let oldest = sessions.map(\.used).min(), oldest < used else { return nil }
        return oldest
    }

    /// Ends the least recently used session.
    mutating func endOldestSession() {
        guard let oldest = sessions.indices.min(by: { sessions[$0].used < sessions[$1].used }) else { return }
        sessions.remove(at: oldest)
    }

    /// Ends the session that has this refresh token.
    mutating func endSession(of token: RefreshToken) {
        sessions.removeAll { $0.accepts(token) }
    }

    /// Ends all sessions except one.
    mutating func endSessions(but kept: Session) {
        sessions = [kept]
    }

    /// Exchanges a refresh token, if a session of the account accepts it.
    mutating func rotate(
        _ token: RefreshToken,
        nonce: [UInt8],
        _ keys: IdentityKeys,
        at time: Int
    ) -> (Session, RefreshToken)? {
        for place in sessions.indices {
            if let successor = sessions[place].rotate(token, nonce: nonce, keys, at: time) {
                return (sessions[place], successor)
            }
        }
        return nil
    }

    /// The profile for the app.
    var profile: UserProfile {
        UserProfile(
            uid: uid,
            isAnonymous: isAnonymous,
            email: email,
            displayName: displayName,
            photoURL: photoURL,
            tenantID: tenantID,
            providerData: email.map { email in
                [
                    UserInfo(
                        providerID: EmailAuthProvider.id,
                        uid: email,
                        displayName: displayName,
                        email: email,
                        photoURL: photoURL
                    )
                ]
            } ?? [],
            creationDate: Date(timeIntervalSince1970: TimeInterval(created)),
            lastSignInDate: Date(timeIntervalSince1970: TimeInterval(signedIn))
        )
    }
}

/// Generates account IDs: 28 letters and digits, as in Firebase.
enum AccountID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Generates an ID.
    static func make(_ random: (_ count: Int) -> [UInt8]) -> String {
        var id: [UInt8] = []
        while id.count < 28 {
            // Six bits can give two values beyond the alphabet; those are drawn again, so that all characters are
            // equally likely.
            let places = random(28 - id.count).map { Int($0 & 63) }.filter { $0 < alphabet.count }
            id += places.map { alphabet[$0] }
        }
        return String(decoding: id, as: UTF8.self)
    }

    /// Generates an ID that belongs to the shard of an address, so that the account can be found by either. This takes
    /// sixteen attempts on average.
    static func make(
        inShardOf email: EmailAddress,
        _ tenantID: String?,
        _ random: (_ count: Int) -> [UInt8]
    ) -> String {
        let shard = AccountShard.number(of: email, tenantID: tenantID)
        while true {
            let id = make(random)
            if AccountShard.number(of: id) == shard { return id }
        }
    }
}
