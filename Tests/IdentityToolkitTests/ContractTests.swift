import IdentityProviderContract
import SharedAuth
import Testing

@testable import IdentityToolkit

struct ContractTests {
    @Test("Firebase keeps the contract of identity providers", arguments: ProviderContract.names)
    func contract(_ name: String) async throws {
        let world = World()
        let toolkit = IdentityToolkit(apiKey: "KEY", settings: world.settings())
        let subject = ContractSubject(
            toolkit,
            offers: [
                .anonymousUsers, .newAccounts, .refresh, .profileChange, .emailChange, .passwordChange, .linking,
                .unlinking, .reauthentication, .deletion,
            ],
            wrongCredential: EmailAuthProvider.credential(withEmail: "nobody@example.com", password: "a wrong password")
        ) {
            let (email, password) = ("person-\(UInt64.random(in: .min ... .max))@example.com", "a good password")
            _ = try await toolkit.createUser(withEmail: email, password: password, tenantID: nil)
            return EmailAuthProvider.credential(withEmail: email, password: password)
        }
        _ = try await ProviderContract(subject).check(name)
    }
}
