import FirebaseStandInServer
import IdentityProviderContract
import IdentityToolkit
import SharedAuth
import Testing

struct ContractTests {
    @Test(
        "Firebase's client keeps the contract of identity providers at the stand-in",
        arguments: ProviderContract.names
    )
    func contract(_ name: String) async throws {
        let project = try Project { $0.protectsAddresses = false }
        let toolkit = project.toolkit()
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
        project.standIn.stop()
    }
}
