/// Why an identity provider does not keep the contract: the case that found it, and what was wrong.
public struct ContractFailure: Error, Sendable, CustomStringConvertible {
    /// The case, as a sentence.
    public let name: String
    /// What was wrong; it has no token, password or address of the provider's.
    public let reason: String

    /// The case and the reason.
    public var description: String { "\(name): \(reason)" }
}
