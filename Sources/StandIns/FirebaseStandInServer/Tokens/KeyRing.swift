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

    private var made: [Signer: Task<Result<IssuerKey, Refusal>, Never>] = [:]

    func key(_ signer: Signer) async throws(Refusal) -> IssuerKey {
        let task = made[signer] ?? Task { await Self.make(signer) }
        made[signer] = task
        return try await task.value.get()
    }

    private static func make(_ signer: Signer) async -> Result<IssuerKey, Refusal> {
        // Not in the cooperative thread pool, which has few threads.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(Refusal) in try IssuerKey(named: signer.rawValue) }
                )
            }
        }
    }
}
