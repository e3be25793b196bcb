public import FoundationEssentials

extension PassTokenStore {
    /// How a token store works. The defaults are those of Pass's last own SDK.
    public struct Options: Sendable {
        /// How tokens are laid out.
        public var generation: StorageGeneration
        /// What becomes of other devices' tokens.
        public var mismatchPolicy: DeviceMismatchPolicy
        /// What is checked on configuration.
        public var integrityCheck: IntegrityCheck
        /// When a token of an earlier layout is taken over.
        public var importCondition: ImportCondition
        /// The key that must have signed a token; nil leaves that to the server.
        public var publicKey: TokenPublicKey?
        /// Stores of different projects share nothing: one for Pass's production servers, one for staging.
        public var project: String
        /// How long a call may take.
        public var deadline: Duration
        /// The clock that tells which tokens have expired.
        public var now: @Sendable () -> Date

        /// Makes options.
        public init(
            generation: StorageGeneration = .separateBuckets,
            mismatchPolicy: DeviceMismatchPolicy = .ignore,
            integrityCheck: IntegrityCheck = .none,
            importCondition: ImportCondition = .once,
            publicKey: TokenPublicKey? = nil,
            project: String = "adobe.pass",
            deadline: Duration = .seconds(5),
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.generation = generation
            self.mismatchPolicy = mismatchPolicy
            self.integrityCheck = integrityCheck
            self.importCondition = importCondition
            self.publicKey = publicKey
            self.project = project
            self.deadline = deadline
            self.now = now
        }
    }
}
