public import FoundationEssentials

extension PassTokenStore {
    /// The options of a token store. The defaults are those of Pass's last own SDK.
    public struct Options: Sendable {
        /// The layout of the tokens.
        public var generation: StorageGeneration
        /// The treatment of other devices' tokens.
        public var mismatchPolicy: DeviceMismatchPolicy
        /// The integrity check on configuration.
        public var integrityCheck: IntegrityCheck
        /// The condition for importing a token of an earlier layout.
        public var importCondition: ImportCondition
        /// The key that must have signed a token; nil leaves the check to the server.
        public var publicKey: TokenPublicKey?
        /// The project. Stores of different projects share nothing: use one for Pass's production servers and one for
        /// staging.
        public var project: String
        /// The time limit of a call.
        public var timeout: Duration
        /// The clock that decides when tokens expire.
        public var now: @Sendable () -> Date

        /// Creates options.
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
    /// They are left unchanged and not used; both apps keep their own (from 1.9).
    case ignore
    /// They are deleted on configuration, with all data of their programmers on that device (1.8).
    case erase
    /// They are deleted on configuration; the selected TV provider stays (1.7.5).
    case sanitize
    /// Devices are not compared (up to 1.7): the token is used, and the server may refuse it.
    case off
}

/// A check of the store on configuration.
///
/// A locked or unavailable store is an error with every option and is never wiped. A store written by a newer version
/// is never wiped either.
@frozen
public enum IntegrityCheck: Sendable, Hashable, CaseIterable {
    /// No check.
    case none
    /// Checks that the store can be written and read, and that everything in it can be decoded.
    ///
    /// A token that cannot be decoded is deleted and named in the report; the others stay. If the index cannot be
    /// decoded, or the keyring does not keep a written record, the store is cleared and the user is logged out.
    /// (Adobe's own check clears the store for any damage. Here many apps share one store, so damage to one app's token
    /// does not affect the others.)
    case all
    /// No check: the store is cleared, and the user is logged out, each time.
    case clear
}

/// The condition for importing a token of an earlier layout on configuration. A token is only imported for a programmer
/// that has no valid token and has not selected another TV provider, or none.
@frozen
public enum ImportCondition: Sendable, Hashable, CaseIterable {
    /// Once for each app and programmer, and never after a log-out in the newer layout by any app: a user who has
    /// logged out stays logged out, even if an older app left a token.
    case once
    /// Whenever the programmer has no valid token, as Adobe documents it: also after another app's log-out, or a second
    /// sign-in to an app of the earlier layout. No token is imported twice, so a log-out also ends a session that began
    /// with an import.
    case noValidToken
}
