/// One user in a slot: who they are, their tokens, and who issued them.
package struct Account: Sendable, Hashable {
    package var profile: UserProfile
    package var tokens: UserTokens
    /// The project that the user signed in with.
    package var project: String
    /// The issuer as it is stored: ``IdentityProvider/issuer``. Nil in records of versions that did not note it.
    package var issuer: String? { didSet { knownIssuer = issuer ?? tokens.issuer } }
    /// Who issued the account: as noted, else as the ID token says, else the reader's own; nil if none is known.
    package private(set) var knownIssuer: String?
    /// Where the user was copied from by a migration that left the originals there; a sign-out takes them along.
    var remainingOriginals: [CopiedFrom] = []
    private var unknown = UnknownMembers()
    private var unknownInTokens = UnknownMembers()
    private var unknownInProfile = UnknownMembers()

    package init(profile: UserProfile, tokens: UserTokens, project: String, issuer: String? = nil) {
        self.profile = profile
        self.tokens = tokens
        self.project = project
        self.issuer = issuer
        knownIssuer = issuer ?? tokens.issuer
    }

    package var uid: String { profile.uid }

    /// Which account this is.
    package var id: AccountID { AccountID(uid: uid, issuer: knownIssuer) }

    /// The same account, issued by the reader's own issuer if none is known.
    func named(by issuer: String?) -> Account {
        guard knownIssuer == nil, let issuer else { return self }
        var account = self
        account.knownIssuer = issuer
        return account
    }
}

extension Account {
    /// The issuer of accounts whose identity provider does not name one.
    package static let ownIssuer = "app"

    /// Whether an identity provider of this issuer may act on the account. One without a known issuer counts as
    /// anyone's, and so does one without a noted issuer for an identity provider that does not name itself.
    package func isIssued(by issuer: String) -> Bool {
        if self.issuer == nil, issuer == Self.ownIssuer { return true }
        return knownIssuer.map { $0 == issuer } ?? true
    }

    /// Throws `internalError` if there is no uid, by which alone accounts are distinguished.
    func checkUID() throws(AuthError) {
        if !uid.isEmpty { return }
        throw AuthError(
            .internalError,
            "The identity provider answered with a user that has no uid; nothing was stored."
        )
    }
}

/// The record that an account was copied from.
struct CopiedFrom: Sendable, Hashable, Codable {
    /// Who shares that record, as ``RecordKey`` names it.
    let scope: String
    /// What it held then.
    let revision: Revision
}

extension Account: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case profile, tokens, project, issuer
        case remainingOriginals = "originals"
    }

    private enum ProfileKeys: String, CodingKey, CaseIterable {
        case uid, isAnonymous, email, isEmailVerified, displayName, phoneNumber, photoURL, tenantID, providerData
        case creationDate, lastSignInDate, enrolledFactors
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        profile = try fields.decode(UserProfile.self, forKey: .profile)
        tokens = try fields.decode(UserTokens.self, forKey: .tokens)
        project = try fields.decode(String.self, forKey: .project)
        issuer = try fields.decodeIfPresent(String.self, forKey: .issuer)
        remainingOriginals = try fields.decodeIfPresent([CopiedFrom].self, forKey: .remainingOriginals) ?? []
        knownIssuer = issuer ?? tokens.issuer
        unknown = try UnknownMembers(from: decoder, besides: CodingKeys.self)
        unknownInTokens = try UnknownMembers(
            from: fields.superDecoder(forKey: .tokens),
            besides: UserTokens.CodingKeys.self
        )
        unknownInProfile = try UnknownMembers(from: fields.superDecoder(forKey: .profile), besides: ProfileKeys.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(With(profile, unknownInProfile), forKey: .profile)
        try fields.encode(With(tokens, unknownInTokens), forKey: .tokens)
        try fields.encode(project, forKey: .project)
        try fields.encodeIfPresent(issuer, forKey: .issuer)
        if !remainingOriginals.isEmpty { try fields.encode(remainingOriginals, forKey: .remainingOriginals) }
        try unknown.encode(to: encoder)
    }

    /// A value, and the unknown members that a newer version wrote.
    private struct With<Known: Encodable>: Encodable {
        let known: Known
        let unknown: UnknownMembers

        init(_ known: Known, _ unknown: UnknownMembers) {
            self.known = known
            self.unknown = unknown
        }

        func encode(to encoder: any Encoder) throws {
            try known.encode(to: encoder)
            try unknown.encode(to: encoder)
        }
    }
}
