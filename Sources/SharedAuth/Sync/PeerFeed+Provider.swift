internal import Synchronization

extension PeerFeed {
    /// Whether this look is the first, or the first since a provider appeared.
    func takeNewProvider() -> Bool {
        state.withLock { state in
            defer { state.isProviderNew = false }
            return state.isProviderNew
        }
    }

    /// The program that provides the secrets, if it is known, and since when there may have been no other.
    struct Provider {
        let name: String?
        let generation: UInt64
    }

    /// Who provides the secrets, as far as is known.
    var provider: Provider {
        state.withLock { Provider(name: $0.provider, generation: $0.generation) }
    }

    /// Remembers the program that provides the secrets, unless another may have taken its place meanwhile.
    func remember(_ provider: String?, since generation: UInt64) {
        state.withLock { state in
            let isHeard = state.watch != nil || state.formerWatch != nil
            if isHeard, state.generation == generation { state.provider = provider }
        }
    }
}
