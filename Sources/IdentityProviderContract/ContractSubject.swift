public import SharedAuth

/// An identity provider to be checked, and what a check needs to know of it.
public struct ContractSubject: Sendable {
    /// What an identity provider may offer; what it does not offer, it refuses with `operationNotAllowed`.
    public enum Capability: String, Sendable, CaseIterable {
        /// Anonymous users.
        case anonymousUsers
        /// New accounts of an e-mail address and a password.
        case newAccounts
        /// New tokens for a refresh token.
        case refresh
        /// Access tokens for other scopes; see ``ContractSubject/scopes``.
        case scopes
        /// The end of a session.
        case revocation
        /// Changes of the display name.
        case profileChange
        /// Changes of the e-mail address.
        case emailChange
        /// Changes of the password.
        case passwordChange
        /// An e-mail address and a password for an anonymous user.
        case linking
        /// The removal of a way to sign in.
        case unlinking
        /// Repeated sign-ins.
        case reauthentication
        /// The deletion of accounts.
        case deletion
    }

    /// The identity provider.
    public let provider: any IdentityProvider
    /// What it offers.
    public let offers: Set<Capability>
    /// Gives the credential of an account that exists, another account at each call.
    public let account: @Sendable () async throws -> AuthCredential
    /// A credential of the kind that is taken, but that is no account's.
    public let wrongCredential: AuthCredential
    /// Scopes that an access token is issued for, if it offers that.
    public var scopes: Set<String>
    /// Draws the name of an address and of passwords, different each time.
    public let name: @Sendable () -> String

    /// Describes an identity provider.
    public init(
        _ provider: any IdentityProvider,
        offers: Set<Capability>,
        wrongCredential: AuthCredential,
        scopes: Set<String> = [],
        name: @escaping @Sendable () -> String = { "contract-\(UInt64.random(in: .min ... .max))" },
        account: @escaping @Sendable () async throws -> AuthCredential
    ) {
        self.provider = provider
        self.offers = offers
        self.account = account
        self.wrongCredential = wrongCredential
        self.scopes = scopes
        self.name = name
    }
}
