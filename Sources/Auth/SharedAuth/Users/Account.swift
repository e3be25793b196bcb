package import FoundationEssentials

/// A user in a slot: the profile, the tokens and their issuer.
package struct Account: Sendable, Hashable {
    package var profile: UserProfile
    package var tokens: UserTokens
    /// The project that the user signed in with.
    package var project: String
    /// The stored ``IdentityProvider/issuer``. Nil in records of versions that did not store it.
    package var issuer: String? { didSet { knownIssuer = issuer ?? tokens.issuer } }
    /// The account's issuer: the stored one, else that of the ID token, else the reader's own; nil if unknown.
    package private(set) var knownIssuer: String?
    /// The records that migrations copied the user from and did not delete. A sign-out deletes the user from them, too.
    var remainingOriginals: [CopiedFrom] = []
    /// The originals that end with the copy if another user takes its place: those that apps have left. Apps may still
    /// use the others.
    var leftOriginals: [CopiedFrom] { remainingOriginals.filter(\.isLeft) }
    /// Indicates whether the account was read from a view of a fleet's record, which has no tokens.
    private(set) var isOnFleet = false
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

    /// The date at which the tokens expire; nil if they never do, or for an account of a fleet, of which this app has
    /// none.
    package var expirationDate: Date? {
        isOnFleet || tokens.expirationDate == .distantFuture ? nil : tokens.expirationDate
    }

    /// The account's identity.
    package var id: AccountID { AccountID(uid: uid, issuer: knownIssuer) }

    /// The account as a view of a fleet's record shows it.
    var withoutTokens: Account {
        var account = self
        account.issuer = knownIssuer
        account.tokens = UserTokens(refreshToken: nil, accessTokens: [])
        account.unknownInTokens = UnknownMembers()
        account.remainingOriginals = []
        account.isOnFleet = true
        return account
    }

    /// Returns whether the account names an original in a scope.
    func names(_ scope: String) -> Bool { remainingOriginals.contains { $0.scope == scope } }

    /// Adds the names of originals. A scope has one original of an account, and the later name is right.
    mutating func name(_ originals: [CopiedFrom]) {
        let names = originals.map { leftOriginals.contains($0.noted(asLeft: true)) ? $0.noted(asLeft: true) : $0 }
        remainingOriginals.removeAll { former in names.contains { $0.scope == former.scope } }
        remainingOriginals += names
    }

    /// Notes that all apps have left the original in a scope.
    mutating func noteLeft(_ scope: String) {
        remainingOriginals = remainingOriginals.map { $0.scope == scope ? $0.noted(asLeft: true) : $0 }
    }

    /// Returns the account, with the reader's issuer if its own is unknown.
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

    /// Returns whether an identity provider of this issuer may act on the account. Always true for an account without a
    /// known issuer, and for one without a stored issuer if the identity provider does not name its issuer.
    package func isIssued(by issuer: String) -> Bool {
        if self.issuer == nil, issuer == Self.ownIssuer { return true }
        return knownIssuer.map { $0 == issuer } ?? true
    }

    /// Checks that the account has a uid, which accounts of an issuer are identified by.
    ///
    /// - Throws: `internalError` if the uid is empty.
    func checkUID() throws(AuthError) {
        if !uid.isEmpty { return }
        throw AuthError(
            .internalError,
            "The identity provider returned a user without a uid; nothing was stored."
        )
    }
}

/// The record that an account was copied from.
package struct CopiedFrom: Sendable, Hashable {
    /// The scope of that record, as ``RecordKey`` names it.
    let scope: String
    /// The revision of that record when the account was copied.
    let revision: Revision
    /// The sign-in of the copied session; nil if unknown, and in records of versions that did not note it.
    var signIn: String?
    /// Indicates whether all apps that were to leave the record have left it. Until then, apps may use the original.
    private(set) var isLeft = false

    /// The record alone, as for all accounts that were copied from it.
    var record: CopiedFrom { CopiedFrom(scope: scope, revision: revision) }

    /// Returns the name of the original of a session, if it does not say of which.
    func ofSession(_ tokens: UserTokens) -> CopiedFrom {
        CopiedFrom(scope: scope, revision: revision, signIn: signIn ?? tokens.signIn, isLeft: isLeft)
    }

    /// Returns the name with a note whether all apps have left the original.
    func noted(asLeft isLeft: Bool) -> CopiedFrom {
        CopiedFrom(scope: scope, revision: revision, signIn: signIn, isLeft: isLeft)
    }

    /// Returns whether an account in the record is still the original: the record is as it was, or the account has
    /// the copied session, perhaps with later tokens. An account of another sign-in is not. Of a record that apps have
    /// left, neither is an account with originals: it has been copied back there.
    func isOriginal(_ account: Account, at revision: Revision?) -> Bool {
        if revision == self.revision { return true }
        if isLeft, !account.remainingOriginals.isEmpty { return false }
        return signIn != nil && signIn == account.tokens.signIn
    }

    /// Returns the name after other accounts were deleted from the record.
    func following(_ later: [CopiedFrom: CopiedFrom]) -> CopiedFrom {
        CopiedFrom(scope: scope, revision: later[record]?.revision ?? revision, signIn: signIn, isLeft: isLeft)
    }
}

extension CopiedFrom: Codable {
    private enum CodingKeys: String, CodingKey {
        case scope, revision, signIn, isLeft
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        scope = try fields.decode(String.self, forKey: .scope)
        revision = try fields.decode(Revision.self, forKey: .revision)
        signIn = try fields.decodeIfPresent(String.self, forKey: .signIn)
        isLeft = try fields.decodeIfPresent(Bool.self, forKey: .isLeft) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(scope, forKey: .scope)
        try fields.encode(revision, forKey: .revision)
        try fields.encodeIfPresent(signIn, forKey: .signIn)
        if isLeft { try fields.encode(true, forKey: .isLeft) }
    }
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

    /// A value with the unknown members that a newer version wrote.
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
