internal import Synchronization

extension PeerFeed {
    /// Whether this look is the first, or the first since a provider appeared.
    func takeNewProvider() -> Bool {
        state.withLock { state in
            defer { state.isProviderNew = false }
            return state.isProviderNew
        }
    }

    /// Who provides the secrets, as far as is known.
    struct Provider {
        /// The program, if it has been asked for and has a name.
        var name: String?
        /// Whether nobody has asked yet.
        var isNew = true
        /// Counts the times at which another may have come.
        var generation: UInt64 = 0
    }

    /// Who provides the secrets, as far as is known.
    var provider: Provider { state.withLock { $0.provider } }

    /// Whether the provider is still to be asked for, and news of another one would be heard.
    var wantsProvider: Bool { state.withLock { $0.provider.isNew && $0.hearsProviders } }

    /// Remembers the program that provides the secrets, unless another may have taken its place meanwhile.
    func remember(_ provider: String?, since generation: UInt64) {
        state.withLock { state in
            guard state.hearsProviders, state.provider.generation == generation else { return }
            state.provider.name = provider
            state.provider.isNew = false
        }
    }
}
