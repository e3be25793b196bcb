import IdentityProviderContract
import TestSupport
import Testing

@testable import IdentityToolkit

struct ContractTests {
    @Test("Firebase keeps the contract of identity providers", arguments: ProviderContract.names)
    func contract(_ name: String) async throws {
        let world = FirebaseFixture()
        let toolkit = IdentityToolkit(apiKey: "KEY", settings: world.settings())
        _ = try await ProviderContract(.firebase(toolkit)).check(name)
    }
}
