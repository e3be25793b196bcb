internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import SecretService
internal import Synchronization

/// A passphrase until it has been used, and the keys derived from it since.
final class Passphrase: Sendable {
    static let usualCost = 17

    private struct State {
        var secret: Secret?
        var keys: [Scrypt: SymmetricKey] = [:]
    }

    /// The cost of stores yet to be made.
    let cost: Int
    private let state: Mutex<State>

    init(_ secret: Secret, cost: Int) {
        self.cost = cost
        state = Mutex(State(secret: secret))
    }

    /// The key that the passphrase gives with these parameters; derived once.
    func key(_ scrypt: Scrypt) throws(RecordStoreError) -> SymmetricKey {
        // Held throughout, so that nobody derives a key twice: each takes much memory.
        let result = state.withLock { state -> Result<SymmetricKey, RecordStoreError> in
            if let key = state.keys[scrypt] { return .success(key) }
            guard let secret = state.secret else { return .failure(.forgotten) }
            guard secret.count > 0 else { return .failure(.emptyPassphrase) }
            guard let key = scrypt.key(of: secret) else { return .failure(.notDerived) }
            state.keys[scrypt] = key
            return .success(key)
        }
        return try result.get()
    }

    /// Parameters for a new store: those of a key that is derived already, else new ones.
    func newScrypt(salt: Data) -> Scrypt {
        state.withLock { $0.keys.keys.first }
            ?? Scrypt(
                cost: min(max(cost, Scrypt.costs.lowerBound), Scrypt.costs.upperBound),
                blockSize: 8,
                parallelism: 1,
                salt: salt
            )
    }

    /// Forgets the passphrase, now that a store is open.
    func forget() {
        state.withLock { $0.secret = nil }
    }
}

extension RecordStoreError {
    fileprivate static var forgotten: RecordStoreError {
        RecordStoreError(
            .denied,
            "The store is another one than the passphrase has opened, and the passphrase is forgotten since.",
            remedy: "Start the app again."
        )
    }

    fileprivate static var emptyPassphrase: RecordStoreError {
        RecordStoreError(.denied, "The passphrase of the store is empty.", remedy: "Give one.")
    }

    fileprivate static var notDerived: RecordStoreError {
        RecordStoreError(
            .failed,
            "The store's key could not be derived from the passphrase.",
            remedy: "Free some memory and try again."
        )
    }
}
