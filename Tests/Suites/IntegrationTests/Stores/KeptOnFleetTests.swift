import SharedAuthFleet
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth

/// Tests a process that does not link the fleet, in a group that a fleet keeps on the same device.
struct KeptOnFleetTests {
    private static let group = "group.example.fleet"

    @Test(
        "A process without the fleet shows its users, and is refused changes",
        .timeLimit(.minutes(4)),
        arguments: StoreKind.allCases
    )
    func processWithoutFleet(store: StoreKind) async throws {
        let world = try AppFixture(on: store)
        let local: any RecordStore = world.files?.store() ?? world.keyring.makeStore()
        let fleet = Fleet(local: local)
        try fleet.begin(at: StoreUnderTest.fleetAddress(), deviceName: "one", by: .patient)
        let mail = try TestApp(world) { $0.store = .custom(FleetRecordStore(local: local)) }
        try mail.auth.useUserAccessGroup(Self.group)
        try await mail.signIn("x")

        let peer = try await PeerProcess.started(world, group: Self.group, observes: true)
        try await peer.obey("listen")
        _ = try await peer.event("state", "x")
        let current = try await peer.obey("current")
        #expect(current.uid == "x" && current.token == nil && current.state == "signedIn")
        #expect(try await peer.obey("stored \(Self.group)").uid == "x")
        for command in [
            "sign-in a@example.com password", "sign-out", "token", "refresh", "reload", "migrate - replace",
        ] {
            try await expectRefusal(of: command, by: peer)
        }
        #expect(try await peer.obey("current").uid == "x")
        #expect(try mail.stored(Self.group) == "x")

        try mail.auth.signOut()
        #expect(try await peer.event("state").uid == nil)
        try await expectRefusal(of: "sign-in a@example.com password", by: peer)
        try fleet.leave(by: .patient)
        try await peer.obey("sign-up a@example.com password")
        #expect(try await peer.obey("current").state == "signedIn")
    }

    private func expectRefusal(of command: String, by peer: PeerProcess) async throws {
        do {
            try await peer.obey(command)
            Issue.record("\(command) was not refused")
        } catch let refusal as PeerProcess.Refusal {
            #expect(refusal.code == AuthErrorCode.keptOnFleet.rawValue, "\(command): \(refusal)")
            #expect(refusal.line.message?.contains("kept on a fleet") == true)
        }
    }
}
