public import SharedAuth

/// An identity provider to check, with the information that the checks need.
public struct ContractSubject: Sendable {
    /// A part of the contract that an identity provider may support. It refuses the parts that it does not support with
    /// `operationNotAllowed`. The set may grow.
    public struct Capability: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the capability, as written in Swift.
        public var description: String { name }

        /// Anonymous users.
        public static let anonymousUsers = Capability("anonymousUsers")
        /// New accounts with an e-mail address and a password.
        public static let newAccounts = Capability("newAccounts")
        /// New tokens for a refresh token.
        public static let refresh = Capability("refresh")
        /// Access tokens for other scopes; see ``ContractSubject/scopes``.
        public static let scopes = Capability("scopes")
        /// The revocation of a session.
        public static let revocation = Capability("revocation")
        /// Changes of the display name.
        public static let profileChange = Capability("profileChange")
        /// Changes of the e-mail address.
        public static let emailChange = Capability("emailChange")
        /// Changes of the password.
        public static let passwordChange = Capability("passwordChange")
        /// Adding an e-mail address and a password to an anonymous user.
        public static let linking = Capability("linking")
        /// Removing a sign-in method.
        public static let unlinking = Capability("unlinking")
        /// Reauthentication.
        public static let reauthentication = Capability("reauthentication")
        /// The deletion of accounts.
        public static let deletion = Capability("deletion")

        /// All capabilities of this version.
        public static let allCases: [Capability] = [
            .anonymousUsers, .newAccounts, .refresh, .scopes, .revocation, .profileChange,
            .emailChange, .passwordChange, .linking, .unlinking, .reauthentication, .deletion,
        ]
    }

    /// The identity provider.
    public let provider: any IdentityProvider
    /// The capabilities of the identity provider.
    public let offers: Set<Capability>
    /// Returns the credential of an existing account; each call returns another account's.
    public let account: @Sendable () async throws -> AuthCredential
    /// A credential of an accepted kind that belongs to no account.
    public let wrongCredential: AuthCredential
    /// Scopes that an access token is issued for, if the provider has that capability.
    public var scopes: Set<String>
    /// Returns a unique name, for addresses and passwords.
    public let name: @Sendable () -> String

    /// Creates a subject.
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
