public import FoundationEssentials

/// Makes the identity provider of an app, once the app's store is known.
///
/// `LocalIdentity` adds `IdentityProviderFactory.local`.
public struct IdentityProviderFactory: Sendable {
    /// What an identity provider may build on.
    public struct Context: Sendable {
        /// The store that keeps the app's users; records of the identity provider's own belong under the scope `project`.
        public let store: any RecordStore
        /// The project (Firebase: the API key).
        public let project: String
        /// How long a call of the store may take.
        public let timeout: Duration
        /// The clock.
        public let now: @Sendable () -> Date
    }

    /// Makes the identity provider.
    public let make: @Sendable (Context) -> any IdentityProvider
    /// Makes the identity provider of an account of another issuer, for a tool that acts on accounts of several; nil if it knows
    /// none of that issuer.
    package var makeOther: (@Sendable (_ issuer: String) -> (any IdentityProvider)?)?

    /// Wraps a function that makes an identity provider.
    public init(_ make: @escaping @Sendable (Context) -> any IdentityProvider) {
        self.make = make
    }
}
