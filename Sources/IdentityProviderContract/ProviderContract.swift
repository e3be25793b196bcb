internal import SharedAuth

/// What an identity provider has to do for SharedAuth to work with it, as cases that need no test framework.
///
/// Run it against a server of your own that may be filled with test accounts: cases make, change and delete accounts.
public struct ProviderContract: Sendable {
    /// What became of a case.
    @frozen
    public enum Outcome: Sendable, Hashable {
        /// The provider keeps it.
        case passed
        /// The provider does not offer what it is about.
        case skipped
    }

    /// The names of all cases, as sentences.
    public static var names: [String] { ContractCase.all.map(\.name) }

    private let subject: ContractSubject

    /// Makes a contract for an identity provider.
    public init(_ subject: ContractSubject) {
        self.subject = subject
    }

    /// Checks every case, in order; prints each that is skipped.
    ///
    /// - Parameter print: prints a line; by default to standard output.
    /// - Returns: what became of each case.
    /// - Throws: the first failure.
    @discardableResult
    public func check(
        print: (String) -> Void = { Swift.print($0) }
    ) async throws(ContractFailure) -> [String: Outcome] {
        var outcomes: [String: Outcome] = [:]
        for name in Self.names {
            let outcome = try await check(name)
            if outcome == .skipped { print("skipped, as it is not offered: \(name)") }
            outcomes[name] = outcome
        }
        return outcomes
    }

    /// Checks one case.
    ///
    /// - Parameter name: one of ``names``.
    /// - Throws: that the provider does not keep it, or that there is no such case.
    public func check(_ name: String) async throws(ContractFailure) -> Outcome {
        guard let found = ContractCase.all.first(where: { $0.name == name }) else {
            throw ContractFailure(name: name, reason: "there is no such case")
        }
        if !found.needs.isSubset(of: subject.offers) { return .skipped }
        let trial = ContractTrial(subject: subject, name: name)
        do {
            try await found.run(trial)
            return .passed
        } catch let failure as ContractFailure {
            throw failure
        } catch let error as AuthError {
            throw trial.failure("it threw \(trial.describe(error))")
        } catch {
            throw trial.failure("the check could not be made: \(error)")
        }
    }
}

/// Why an identity provider does not keep the contract: the case that found it, and what was wrong.
public struct ContractFailure: Error, Sendable, CustomStringConvertible {
    /// The case, as a sentence.
    public let name: String
    /// What was wrong; it has no token, password or address of the provider's.
    public let reason: String

    /// The case and the reason.
    public var description: String { "\(name): \(reason)" }
}
