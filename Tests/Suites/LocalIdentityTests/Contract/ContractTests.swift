import IdentityProviderContract
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import LocalIdentity

/// The contract for identity providers. The embedded provider fulfills it, and for each case there is a provider that
/// does not.
struct ContractTests {
    private let world = LocalIdentityFixture()

    private func subject(
        _ provider: any IdentityProvider,
        of identity: LocalIdentity,
        but left: Set<ContractSubject.Capability> = [.scopes]
    ) -> ContractSubject {
        ContractSubject(
            provider,
            offers: Set(ContractSubject.Capability.allCases).subtracting(left),
            wrongCredential: .password("nobody@example.com", "a-guess")
        ) {
            let email = "\(UInt64.random(in: .min ... .max))@example.com"
            _ = try await identity.createUser(withEmail: email, password: "secret-1", tenantID: nil)
            return .password(email, "secret-1")
        }
    }

    @Test("The embedded identity provider fulfills the contract and names the skipped case")
    func local() async throws {
        let identity = world.identity(lifetime: .seconds(1 << 30))
        let lines = Mutex<[String]>([])
        let outcomes = try await ProviderContract(subject(identity, of: identity)).check { line in
            lines.withLock { $0.append(line) }
        }
        #expect(outcomes.values.filter { $0 == .skipped }.count == 1)
        #expect(outcomes.count == ProviderContract.names.count)
        let skipped = lines.withLock { $0 }
        #expect(
            skipped == ["skipped, not supported: An access token is issued for the requested scopes"]
        )
    }

    @Test("Each case fails for an identity provider with one fault", arguments: ProviderContract.names)
    func faults(name: String) async throws {
        let faults = FaultyIdentity.Fault.allCases.filter { $0.breaks == name }
        #expect(!faults.isEmpty, "no provider is known that breaks this case")
        for fault in faults {
            let identity = world.identity(lifetime: .seconds(1 << 30))
            let faulty = FaultyIdentity(identity, fault)
            let left: Set<ContractSubject.Capability> =
                switch fault {
                case .anonymousNotOffered: [.anonymousUsers]
                case .newAccountNotOffered: [.newAccounts]
                case .deletionNotOffered: [.deletion]
                default: []
                }
            var contract = subject(faulty, of: identity, but: left)
            contract.scopes = ["mail"]
            do {
                let outcome = try await ProviderContract(contract).check(name)
                Issue.record("\(fault) is not found: \(outcome)")
            } catch {
                #expect(error.name == name)
                #expect(!error.reason.isEmpty)
            }
        }
    }

    @Test("An unknown case is a failure")
    func noCase() async {
        let identity = world.identity()
        await #expect(throws: ContractFailure.self) {
            try await ProviderContract(subject(identity, of: identity)).check("nonsense")
        }
    }
}
