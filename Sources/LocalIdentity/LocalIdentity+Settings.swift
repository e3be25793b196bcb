extension LocalIdentity {
    /// How tokens and passwords are made.
    public struct Settings: Sendable, Hashable {
        /// How long an ID token is good: an hour, as Firebase's. In whole seconds, at least one.
        public var tokenLifetime: Duration
        /// How dear it is to check a password: the base-2 logarithm of scrypt's N, from 4 to 18. The default, 17, takes
        /// 128 MiB and a noticeable fraction of a second, several times that in a debug build; tests may go lower. It
        /// applies to new passwords, and to a weaker hash of an older one as soon as its user signs in.
        public var passwordCost: Int

        /// Makes settings.
        public init(tokenLifetime: Duration = .seconds(3600), passwordCost: Int = 17) {
            self.tokenLifetime = tokenLifetime
            self.passwordCost = passwordCost
        }

        /// The lifetime as tokens express it.
        var tokenSeconds: Int { Int(clamping: min(max(1, tokenLifetime.components.seconds), 1 << 40)) }
    }
}
