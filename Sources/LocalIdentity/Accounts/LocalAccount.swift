internal import FoundationEssentials
internal import SharedAuth

/// An account as it is stored. Times are in whole seconds since 1970.
struct LocalAccount: Sendable, Hashable, Codable {
    /// How many sessions an account may have.
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

    /// Makes an account; without an address it is anonymous.
    init(uid: String, tenantID: String?, email: String? = nil, password: PasswordHash? = nil, created: Int) {
        self.uid = uid
        self.tenantID = tenantID
        self.email = email
        self.password = password
        self.created = created
        signedIn = created
    }

    var isAnonymous: Bool { email == nil }

    /// When the account was used last.
    var used: Int { sessions.map(\.used).max() ?? signedIn }

    /// Adds a session; where there are too many, the one unused the longest ends.
    mutating func begin(_ session: Session) {
        while sessions.count >= Self.sessionLimit { endOldestSession() }
        sessions.append(session)
        signedIn = session.started
    }

    /// When the session was used that was unused the longest; nil if none was used after it.
    var oldestSession: Int? {
        guard let oldest = sessions.map(\.used).min(), oldest < used else { return nil }
        return oldest
    }

    /// Ends the session that was unused the longest.
    mutating func endOldestSession() {
        guard let oldest = sessions.indices.min(by: { sessions[$0].used < sessions[$1].used }) else { return }
        sessions.remove(at: oldest)
    }

    /// Ends the session that has this refresh token.
    mutating func endSession(of token: RefreshToken) {
        sessions.removeAll { $0.accepts(token) }
    }

    /// Ends every session but the one that was used now.
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

    /// What an app sees.
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

/// Draws the ids of accounts: 28 letters and digits, as Firebase's.
enum AccountID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Draws an id.
    static func make(_ random: (_ count: Int) -> [UInt8]) -> String {
        var id: [UInt8] = []
        while id.count < 28 {
            // Six bits reach two places beyond the alphabet; those are drawn again, so that each character is as
            // likely.
            let places = random(28 - id.count).map { Int($0 & 63) }.filter { $0 < alphabet.count }
            id += places.map { alphabet[$0] }
        }
        return String(decoding: id, as: UTF8.self)
    }

    /// Draws an id that belongs to the shard of an address, so that the account is found by either: sixteen tries, on
    /// average.
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
