/// The keys of a project, each made when it is first needed: that takes a while.
actor KeyRing {
    /// Who signs.
    enum Signer: String {
        /// The token service: ID tokens.
        case tokenService = "stand-in-token-service"
        /// A back end of the project: custom tokens.
        case serviceAccount = "stand-in-service-account"
        /// All other services together: their ID tokens.
        case otherServices = "stand-in-other-services"
    }

    private var made: [Signer: Task<Result<SigningKey, Refusal>, Never>] = [:]

    func key(_ signer: Signer) async throws(Refusal) -> SigningKey {
        let task =
            made[signer]
            ?? Task.detached {
                do throws(Refusal) {
                    return .success(try await SigningKey(named: signer.rawValue))
                } catch {
                    return .failure(error)
                }
            }
        made[signer] = task
        return try await task.value.get()
    }
}
