import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

struct PassSetupTests {
    let store = InMemoryRecordStore()
    let requestor = RequestorConfiguration("R1", "M1")

    private func setup(
        _ appID: String = "com.example.one",
        team: String? = "TEAM1",
        groups: [String] = [],
        project: String = "adobe.pass",
        like preset: SDKPreset = .sdk3
    ) throws(AuthError) -> PassSetup {
        try PassSetup(
            appID: appID,
            teamID: team,
            accessGroups: groups,
            project: project,
            like: preset,
            in: store,
            machineIDPaths: []
        )
    }

    @Test(
        "An SDK version determines layout, mismatch policy and device",
        arguments: [
            (SDKPreset.sdk1_6, StorageGeneration.singleSlot, DeviceMismatchPolicy.off, DeviceIdentity.Kind.machine),
            (.sdk1_7, .buckets, .off, .machine), (.sdk1_7_5, .buckets, .sanitize, .advertising),
            (.sdk1_8, .buckets, .erase, .vendor), (.sdk1_10, .buckets, .ignore, .vendor),
            (.sdk3, .separateBuckets, .ignore, .vendor), (.tvOS, .privateBuckets, .ignore, .vendor),
        ]
    )
    func presets(
        preset: SDKPreset,
        generation: StorageGeneration,
        policy: DeviceMismatchPolicy,
        kind: DeviceIdentity.Kind
    ) throws {
        let tokens = try setup(like: preset).tokens(inGroup: "TEAM1.example.pass")
        #expect(tokens.options.generation == generation && tokens.options.mismatchPolicy == policy)
        #expect(tokens.device.kind == kind)
        // Another app of the team with the same preset finds the same token.
        let token = try AuthenticationToken.sample(for: tokens.device)
        try tokens.signIn(token, for: requestor)
        let other = try setup("com.example.two", like: preset).tokens(inGroup: "TEAM1.example.pass")
        #expect((try other.session(of: requestor) != nil) == !generation.isPrivate)
        let stranger = try setup("org.sample.two", like: preset)
        let seen = try stranger.tokens(inGroup: "TEAM1.example.pass").session(of: requestor)
        #expect((seen != nil) == (!generation.isPrivate && kind != .vendor))
    }

    @Test(
        "App ID, team ID and project are checked as AuthApp checks them",
        arguments: [
            ("a..b", "TEAM1", "p"), ("", "TEAM1", "p"), ("com.example.one", "TE AM", "p"),
            ("com.example.one", "TEAM1", "a/b"),
            ("com.example.one", "TEAM1", ""),
        ]
    )
    func names(appID: String, team: String, project: String) {
        do throws(AuthError) {
            _ = try setup(appID, team: team, project: project)
            Issue.record("not refused")
        } catch {
            #expect(error.code == .invalidAppIdentifier)
        }
    }

    @Test("A group of another team, or an undeclared group, is refused")
    func groups() throws {
        let setup = try setup(groups: ["TEAM1.example.pass"])
        let refused = [try AccessGroup("TEAM2.example.pass"), try AccessGroup("TEAM1.example.other")]
        for group in refused {
            expectFailure(\PassStoreError.code, .groupRefused) { try setup.tokens(in: group) }
            expectFailure(\PassStoreError.code, .groupRefused) { try setup.tokens(inGroup: group.name) }
        }
        expectFailure(\PassStoreError.code, .groupRefused) { try setup.tokens(inGroup: "one") }
        #expect(try setup.tokens(in: AccessGroup("TEAM1.example.pass")).group?.name == "TEAM1.example.pass")
        #expect(try setup.tokens(in: nil).group == nil)
        do throws(AuthError) {
            _ = try self.setup(groups: ["TEAM2.example.pass"])
            Issue.record("not refused")
        } catch {
            #expect(error.code == .accessGroupNotDeclared)
        }
    }

    @Test("Tokens, device IDs and users share one app and one project, each given once")
    func once() throws {
        let setup = try setup(project: "staging")
        let tokens = try setup.tokens(inGroup: "TEAM1.example.pass")
        #expect(tokens.appID == "com.example.one" && tokens.options.project == "staging")
        // There is no machine ID here, so the project's stored ID is used.
        let machine = MachineID(standIn: try setup.deviceIDs.machineStandIn())
        #expect(tokens.device == .vendor(of: setup.identity, on: machine))
        let token = try AuthenticationToken.sample(for: tokens.device)
        try tokens.signIn(token, for: requestor)
        let options = try setup.authOptions(showing: requestor)
        #expect(options.appID == "com.example.one" && options.teamID == "TEAM1" && options.project == "staging")
        let key = RecordKey(
            scope: .group("TEAM1.example.pass"),
            project: options.project,
            instance: "default",
            kind: "user"
        )
        guard case .whole = try setup.users(of: requestor).read(key, by: .patient) else {
            Issue.record("no user")
            return
        }
    }
}
