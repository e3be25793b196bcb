import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests exchanges whose tokens have little room in the record.
struct FullRecordTests {
    static let group = "group.example.full"

    /// The app id of the processes, and the options of an issuer whose refresh tokens can be used once.
    private func start(_ app: String, _ world: AppFixture) async throws -> PeerProcess {
        try await PeerProcess.started(
            world,
            appID: app,
            group: Self.group,
            options: ["--issuer", "one", "--used", world.keyring.directory + "/used-\(world.project)"]
        )
    }

    private func size(in world: AppFixture) throws -> Int {
        let store = world.files?.store() as (any RecordStore)? ?? world.keyring.makeStore()
        guard case .whole(let record) = try store.read(world.key(Self.group), by: .patient) else { return 0 }
        return record.payload.count
    }

    @Test(
        "A rotation that makes a nearly full record longer is kept for every process",
        arguments: StoreKind.allCases
    )
    func rotation(on kind: StoreKind) async throws {
        let world = try AppFixture(on: kind)
        unsafe mkdir(world.keyring.directory + "/used-\(world.project)", 0o700)
        let first = try await start("com.example.First", world)
        try await first.obey("sign-in x 1")
        try await first.obey("pad \(65_500 - size(in: world))")
        try await first.obey("sign-in x 2")
        #expect(try (65_480...65_536).contains(size(in: world)))
        let second = try await start("com.example.Second", world)
        try await second.obey("pad \(67_000)")
        try await second.obey("refresh")
        #expect(try size(in: world) > 65_536)
        // The first process still has the token that the issuer has replaced.
        #expect(try await first.obey("refresh").uid == "x")
        #expect(try await second.obey("refresh").uid == "x")
        for peer in [first, second] { #expect(peer.inbox.events(["reused"]).isEmpty) }
        let next = try await start("com.example.Next", world)
        #expect(try await next.obey("refresh").uid == "x")
        #expect(try world.record(Self.group, appID: "com.example.First").current?.uid == "x")
    }

    @Test("An ID token for which the store had no room is obtained again when used")
    func fullStore() async throws {
        let world = try AppFixture()
        let slot = Slot.group(Self.group)
        let slots = UserSlots(
            store: world.keyring.makeStore(),
            appID: "com.example.Mail",
            project: world.project,
            instance: AuthApp.defaultName
        )
        var (other, account) = (world.account("other"), world.account("x"))
        account.tokens = UserTokens.server("x", String(repeating: "0", count: 300), scopes: [["mail"], ["files"]])
        let crowd = UserRecord().signingIn(other).signingIn(account, keepingOthers: true)
        let excess = 400
        let spare = Record.largestPayload + excess - (try crowd.encoded().count)
        other.profile.displayName = String(repeating: "n", count: spare)
        let record = UserRecord().signingIn(other).signingIn(account, keepingOthers: true)
        for room in [RecordRoom.limited, .full] {
            let error = expectFailure(\AuthError.code, .storeFull) {
                _ = try slots.update(slot, by: .patient) { _ in .store(record, in: room) }
            }
            #expect(error?.remedy?.contains("smaller tokens") == true)
        }
        let stored = try slots.update(slot, by: .patient) { _ in .store(record, in: .exchange(of: account.id)) }
        let tokens = try #require(stored.record.account(account.id)?.tokens)
        #expect(tokens.isRest(of: account.tokens) && tokens.isIncomplete)
        #expect(tokens.accessTokens == account.tokens.accessTokens.dropLast())
        #expect(stored.record.account(other.id) == other)
        #expect(try slots.read(slot, by: .patient).record == stored.record)

        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try #require(app.auth.currentUser)
        #expect(user.uid == "x" && user.refreshToken == account.tokens.refreshToken)
        #expect(try await user.getIDToken() == "x/id/refreshed-1")
        #expect(app.identity.refreshes == 1)
        let healed = try world.record(Self.group, appID: "com.example.Mail").currentAccount?.tokens
        #expect(healed?.idToken == "x/id/refreshed-1" && healed?.isIncomplete == false)
    }
}
