internal import Dispatch

/// The signing keys of this process. Each is generated at its first use, because that takes a while.
actor KeyRing {
    /// The issuer of a token.
    enum Signer: String {
        /// The token service: ID tokens.
        case tokenService = "stand-in-token-service"
        /// A back end of the project: custom tokens.
        case serviceAccount = "stand-in-service-account"
        /// All other services: ID tokens.
        case otherServices = "stand-in-other-services"
    }

    static let shared = KeyRing()

    private var made: [Signer: Task<Result<SigningKey, Refusal>, Never>] = [:]

    func key(_ signer: Signer) async throws(Refusal) -> SigningKey {
        let task = made[signer] ?? Task { await Self.make(signer) }
        made[signer] = task
        return try await task.value.get()
    }

    private static func make(_ signer: Signer) async -> Result<SigningKey, Refusal> {
        do throws(Refusal) {
            // Not in the cooperative thread pool, which has few threads.
            let pair = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: SigningKey.newPair()) }
            }
            return .success(try await SigningKey(pair, named: signer.rawValue))
        } catch {
            return .failure(error)
        }
    }
}
