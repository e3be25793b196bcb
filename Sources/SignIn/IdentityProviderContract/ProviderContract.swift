internal import SharedAuth

/// The requirements that SharedAuth has of an identity provider, as cases that need no test framework.
///
/// Run it against your own server, and only if that may be filled with test accounts: cases create, change and delete
/// accounts.
public struct ProviderContract: Sendable {
    /// The outcome of a case.
    @frozen
    public enum Outcome: Sendable, Hashable {
        /// The provider meets the case.
        case passed
        /// The provider does not have a capability that the case needs.
        case skipped
    }

    /// The names of all cases, as sentences.
    public static var names: [String] { ContractCase.all.map(\.name) }

    private let subject: ContractSubject

    /// Creates the contract for an identity provider.
    public init(_ subject: ContractSubject) {
        self.subject = subject
    }

    /// Checks all cases, in order, and prints the name of each skipped one.
    ///
    /// - Parameter print: Prints a line; by default to standard output.
    /// - Returns: The outcome of each case.
    /// - Throws: The first failure.
    @discardableResult
    public func check(
        print: (String) -> Void = { Swift.print($0) }
    ) async throws(ContractFailure) -> [String: Outcome] {
        var outcomes: [String: Outcome] = [:]
        for name in Self.names {
            let outcome = try await check(name)
            if outcome == .skipped { print("skipped, not supported: \(name)") }
            outcomes[name] = outcome
        }
        return outcomes
    }

    /// Checks one case.
    ///
    /// - Parameter name: One of ``names``.
    /// - Throws: A failure if the provider does not meet the case, or if there is no such case.
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
            throw trial.failure("the check failed: \(error)")
        }
    }
}

/// A violation of the contract: the failed case and the reason.
public struct ContractFailure: Error, Sendable, CustomStringConvertible {
    /// The case, as a sentence.
    public let name: String
    /// The reason. It contains no token, password or address, unless ``ContractSubject/account`` threw an error with
    /// one.
    public let reason: String

    /// The case and the reason.
    public var description: String { "\(name): \(reason)" }
}
