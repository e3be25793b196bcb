import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// The bytes that each layout of the token store writes: the index, and a bucket with a token and its caches.
struct GoldenPassRecordTests {
    private let world = PassStoreFixture()
    private let first = RequestorConfiguration("R1", "M1")
    private let second = RequestorConfiguration("R2", "M1")

    /// The formats: before and after authorizations were moved to separate pages, and since these say when each was
    /// stored.
    enum Format: String, CaseIterable {
        case former = "pass"
        case paged = "pass-paged"
        case dated = "pass-dated"

        func file(_ generation: StorageGeneration) -> String { "\(rawValue)/\(generation).records" }
    }

    private func token() throws -> AuthenticationToken { try world.token("R1", "M1", user: "person & friend") }

    private func learn(_ cache: inout SessionCache, _ authorization: AuthorizationToken) {
        cache.userMetadata = Data("{\"zip\":\"12345\"}".utf8)
        cache.preauthorization = Preauthorization(resources: ["channel"], permitted: ["channel"])
        cache.keep(authorization)
    }

    @Test(
        "The same sign-in, choice and cached answers are written as the golden records",
        arguments: StorageGeneration.allCases
    )
    func writes(generation: StorageGeneration) throws {
        let store = try world.store(generation)
        let session = try store.signIn(token(), for: first)
        let authorization = try world.authorization("<rss>channel & more</rss>")
        try store.updateCache(of: session) { learn(&$0, authorization) }
        try store.select(nil, for: "R3")
        try store.records.updateIndex(by: .patient) { index throws(PassStoreError) in
            index.noteImport("com.example.one R1")
        }
        let written = try RecordLines.dump(world.keyring.takeWrites(), of: world.memory)
        try GoldenBytes.expect(Array(written.utf8), equalFile: Format.dated.file(generation))
    }

    @Test(
        "Golden records are read as the session, choice and cached answers they hold",
        arguments: StorageGeneration.allCases,
        Format.allCases
    )
    func reads(generation: StorageGeneration, format: Format) throws {
        try RecordLines.load(GoldenBytes.text(format.file(generation)), into: world.memory)
        let store = try world.store(generation)
        let session = try #require(try store.session(of: first))
        #expect(try session.token == token() && session.token.userID == "person & friend")
        #expect(try store.session(of: second)?.isShared == true)
        #expect(try store.selection(of: "R1") == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        #expect(try store.selection(of: "R3") == MVPDSelection(mvpd: nil, canAuthenticate: false))
        var expected = SessionCache()
        learn(&expected, try world.authorization("<rss>channel & more</rss>"))
        #expect(try store.cache(of: session) == expected)
        let index = try #require(try store.records.storedIndex(by: .patient))
        #expect(index.epoch == 1_800_000_000_000 && index.number == 1 && !index.hasLoggedOut)
        #expect(index.imports == ["com.example.one R1"] && index.buckets.count == 1 && index.selections.count == 2)
    }

    @Test("The golden device IDs are read with their original values")
    func readsDeviceIDs() throws {
        try RecordLines.load(GoldenBytes.text("pass/device.records"), into: world.memory)
        let ids = StoredDeviceIDs(in: world.memory)
        #expect(try ids.machineStandIn().uuidString == "0F1E2D3C-4B5A-4697-8879-6A5B4C3D2E1F")
        #expect(try ids.advertisingID().uuidString == "11112222-3333-4444-8555-666677778888")
    }

    @Test("Device IDs are written in the golden form")
    func writesDeviceIDs() throws {
        let ids = StoredDeviceIDs(in: world.keyring)
        let (machine, advertising) = (try ids.machineStandIn(), try ids.advertisingID())
        let written = try RecordLines.dump(world.keyring.takeWrites(), of: world.memory)
            .replacing(machine.uuidString, with: "0F1E2D3C-4B5A-4697-8879-6A5B4C3D2E1F")
            .replacing(advertising.uuidString, with: "11112222-3333-4444-8555-666677778888")
        try GoldenBytes.expect(Array(written.utf8), equalFile: "pass/device.records")
    }
}
