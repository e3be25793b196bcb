import Testing

struct SessionLifeTests {
    @Test("A session lives and ends at an identity provider as it is deployed", arguments: DeployedIssuer.all)
    func life(_ profile: DeployedIssuer) async throws {
        try await SessionLife(profile).run()
    }
}
