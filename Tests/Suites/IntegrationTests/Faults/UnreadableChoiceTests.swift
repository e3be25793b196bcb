import Glibc
import TestSupport
import Testing

/// Tests a start at which the app may not read its stored choice, with the rights of an ordinary user.
struct UnreadableChoiceTests {
    private static let mail = "com.example.Mail"
    private static let group = "group.example.a"

    @Test("A choice that may not be read at the start is read once it may be")
    func readLater() async throws {
        let user = try OrdinaryUser()
        defer { user.keyring.shutdown() }
        if let obstacle = try user.obstacle(to: .plain) { try Test.cancel("\(obstacle)") }
        let world = try AppFixture(user.keyring, on: .encryptedFile)
        let files = try #require(world.files)
        try user.own(files.root)
        let earlier = try await PeerProcess.started(world, as: user, appID: Self.mail, group: Self.group)
        try await earlier.obey("sign-in x 1")

        let choice = "\(world.state)/\(Self.mail)/\(world.project)/default.json"
        #expect(unsafe chmod(choice, 0) == 0)
        let app = try await PeerProcess.started(world, as: user, appID: Self.mail, observes: true)
        try await app.obey("listen")
        #expect(try await app.obey("current").state == "unavailable")

        #expect(unsafe chmod(choice, 0o600) == 0)
        _ = try await app.event("state", "x")
        try await earlier.obey("sign-out")
        #expect(try await app.event("state").uid == nil)
        #expect(try await app.obey("current").state == "signedOut")
    }
}
