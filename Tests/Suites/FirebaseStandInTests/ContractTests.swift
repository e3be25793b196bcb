import FirebaseStandInServer
import IdentityProviderContract
import TestSupport
import Testing

struct ContractTests {
    @Test(
        "Firebase's client keeps the contract of identity providers with the stand-in",
        arguments: ProviderContract.names
    )
    func contract(_ name: String) async throws {
        let project = try Project { $0.protectsAddresses = false }
        _ = try await ProviderContract(.firebase(project.toolkit())).check(name)
        project.standIn.stop()
    }
}
