public import FoundationEssentials

extension PassTokenStore {
    /// The options of a token store. The defaults are those of Pass's last own SDK.
    public struct Options: Sendable {
        /// The layout of the tokens.
        public var generation: StorageGeneration
        /// The treatment of other devices' tokens.
        public var mismatchPolicy: DeviceMismatchPolicy
        /// The check on configuration.
        public var integrityCheck: IntegrityCheck
        /// When a token of an earlier layout is taken over.
        public var importCondition: ImportCondition
        /// The key that must have signed a token; nil leaves that to the server.
        public var publicKey: TokenPublicKey?
        /// Stores of different projects share nothing: one for Pass's production servers, one for staging.
        public var project: String
        /// The time limit of a call.
        public var timeout: Duration
        /// The clock by which tokens expire.
        public var now: @Sendable () -> Date

        /// Makes options.
        public init(
            generation: StorageGeneration = .separateBuckets,
            mismatchPolicy: DeviceMismatchPolicy = .ignore,
            integrityCheck: IntegrityCheck = .none,
            importCondition: ImportCondition = .once,
            publicKey: TokenPublicKey? = nil,
            project: String = "adobe.pass",
            timeout: Duration = .seconds(5),
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.generation = generation
            self.mismatchPolicy = mismatchPolicy
            self.integrityCheck = integrityCheck
            self.importCondition = importCondition
            self.publicKey = publicKey
            self.project = project
            self.timeout = timeout
            self.now = now
        }
    }
}

/// The treatment of tokens in a shared store that were issued to another device, that is, to an app with another
/// ``DeviceIdentity``.
@frozen
public enum DeviceMismatchPolicy: Sendable, Hashable, CaseIterable {
    /// They are left alone and not used; both apps keep their own (from 1.9).
    case ignore
    /// On configuration they are deleted, with everything that is known of their programmers on that device (1.8).
    case erase
    /// On configuration the tokens are deleted; which TV provider was chosen stays (1.7.5).
    case sanitize
    /// Devices are not compared (up to 1.7): the token is used, and the server may refuse it.
    case off
}

/// A check of the store on configuration.
///
/// A store that is locked or out of reach is an error whatever is chosen here, and never wiped; nor is one that a newer
/// version wrote.
@frozen
public enum IntegrityCheck: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none
    /// That the store can be written and read, and that everything in it can be understood.
    ///
    /// Only the token that cannot be understood is deleted, and named in the report; where the index cannot be
    /// understood, or the keyring does not keep what is written, the store is cleared and the person is logged out.
    /// (Adobe's own check clears the store whatever it finds damaged. Here many apps share one store, and the damage of
    /// one is not the others'.)
    case all
    /// Nothing: the store is cleared, and the person logged out, each time.
    case clear
}

/// When a token of an earlier layout is taken over on configuration; in each case only for a programmer that has no
/// valid token, and has not chosen another TV provider or none.
@frozen
public enum ImportCondition: Sendable, Hashable, CaseIterable {
    /// Once for each app and programmer, and never after a log-out in the newer layout, whichever app made it: who has
    /// logged out stays logged out, even if an older app left a token.
    case once
    /// Whenever the programmer has no valid token, as Adobe's text says: also after another app's log-out, or a second
    /// sign-in to an app of the earlier layout. No token is taken over twice, so that a log-out also ends a session
    /// that began with an import.
    case noValidToken
}
