internal import Crypto
internal import Dispatch
internal import FoundationEssentials
internal import KeyDerivation
internal import SecretService
internal import SharedAuthRecords
internal import Synchronization

/// Keeps a passphrase until it has opened a store, and the keys derived from it.
final class Passphrase: Sendable {
    static let usualCost = 17

    private struct State {
        var secret: Secret?
        var keys: [Scrypt: SymmetricKey] = [:]
        var derivations: [Scrypt: DispatchGroup] = [:]
    }

    private enum Beginning {
        case known(SymmetricKey)
        case derivation(DispatchGroup)
    }

    /// The cost for new stores.
    private let cost: Int
    private let state: Mutex<State>

    init(_ secret: Secret, cost: Int) {
        self.cost = min(max(cost, Scrypt.storeCosts.lowerBound), Scrypt.storeCosts.upperBound)
        state = Mutex(State(secret: secret))
    }

    /// Returns the key for these parameters; derives it once.
    ///
    /// - Throws: `timedOut` if the derivation takes longer. It continues in the background, for the next call.
    func key(_ scrypt: Scrypt, by deadline: Deadline) throws(RecordStoreError) -> SymmetricKey {
        let beginning = state.withLock { state in begin(scrypt, &state) }
        switch try beginning.get() {
        case .known(let key):
            return key
        case .derivation(let derivation):
            guard derivation.wait(timeout: deadline.dispatchTime) == .success else { throw .stillDeriving }
            guard let key = state.withLock({ $0.keys[scrypt] }) else { throw .notDerived }
            return key
        }
    }

    /// Throws `denied` if the passphrase is empty.
    func check() throws(RecordStoreError) {
        if state.withLock({ $0.secret?.count == 0 }) { throw .emptyPassphrase }
    }

    /// Returns parameters for a new store: those of a key that is already derived or being derived, otherwise new ones.
    func newScrypt(salt: Data) -> Scrypt {
        state.withLock { $0.keys.keys.first ?? $0.derivations.keys.first }
            ?? Scrypt(cost: cost, blockSize: 8, parallelism: 1, salt: salt)
    }

    /// Discards the passphrase after a store was opened.
    func forget() {
        state.withLock { $0.secret = nil }
    }

    private func begin(_ scrypt: Scrypt, _ state: inout State) -> Result<Beginning, RecordStoreError> {
        if let key = state.keys[scrypt] { return .success(.known(key)) }
        if let derivation = state.derivations[scrypt] { return .success(.derivation(derivation)) }
        guard let secret = state.secret else { return .failure(.forgotten) }
        guard secret.count > 0 else { return .failure(.emptyPassphrase) }
        let derivation = DispatchGroup()
        state.derivations[scrypt] = derivation
        // A separate queue gets a thread immediately.
        DispatchQueue(label: "SharedAuth.Passphrase").async(group: derivation) { [self] in
            let key = scrypt.key(of: secret)
            self.state.withLock { state in
                state.keys[scrypt] = key
                state.derivations[scrypt] = nil
            }
        }
        return .success(.derivation(derivation))
    }
}

extension RecordStoreError {
    fileprivate static var forgotten: RecordStoreError {
        RecordStoreError(
            .denied,
            "This is not the store that the passphrase opened before, and the passphrase is forgotten.",
            remedy: "Start the app again."
        )
    }

    fileprivate static var emptyPassphrase: RecordStoreError {
        RecordStoreError(.denied, "The passphrase of the store is empty.", remedy: "Give one.")
    }

    fileprivate static var stillDeriving: RecordStoreError {
        RecordStoreError(
            .timedOut,
            "The store's key is still being derived from the passphrase.",
            remedy: "Try again in a moment, or allow a longer timeout."
        )
    }

    fileprivate static var notDerived: RecordStoreError {
        RecordStoreError(
            .failed,
            "The store's key could not be derived from the passphrase.",
            remedy: "Free some memory and try again."
        )
    }
}
