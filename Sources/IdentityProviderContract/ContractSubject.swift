public import SharedAuth

/// An identity provider to be checked, and what a check needs to know of it.
public struct ContractSubject: Sendable {
    /// A part of the contract that an identity provider may offer; one that it does not offer, it refuses with
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
        /// New accounts of an e-mail address and a password.
        public static let newAccounts = Capability("newAccounts")
        /// New tokens for a refresh token.
        public static let refresh = Capability("refresh")
        /// Access tokens for other scopes; see ``ContractSubject/scopes``.
        public static let scopes = Capability("scopes")
        /// The end of a session.
        public static let revocation = Capability("revocation")
        /// Changes of the display name.
        public static let profileChange = Capability("profileChange")
        /// Changes of the e-mail address.
        public static let emailChange = Capability("emailChange")
        /// Changes of the password.
        public static let passwordChange = Capability("passwordChange")
        /// An e-mail address and a password for an anonymous user.
        public static let linking = Capability("linking")
        /// The removal of a way to sign in.
        public static let unlinking = Capability("unlinking")
        /// Repeated sign-ins.
        public static let reauthentication = Capability("reauthentication")
        /// The deletion of accounts.
        public static let deletion = Capability("deletion")

        /// Every capability of this version.
        public static let allCases: [Capability] = [
            .anonymousUsers, .newAccounts, .refresh, .scopes, .revocation, .profileChange,
            .emailChange, .passwordChange, .linking, .unlinking, .reauthentication, .deletion,
        ]
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
