import EncryptedFiles
import Foundation
import SecretService
import TestSupport
import Testing

@testable import PassAuth
@testable import SharedAuth
@testable import SharedAuthRecords

/// After a log-out nothing can be read, whatever was damaged before.
struct NothingReadableTests {
    let world = PassStoreFixture()
    let first = RequestorConfiguration("R1", "M1")
    let second = RequestorConfiguration("R2", "M2")

    private func signIn(_ store: PassTokenStore) throws -> [RecordKey] {
        let sessions = try [
            store.signIn(world.token("R1", "M1"), for: first), store.signIn(world.token("R2", "M2"), for: second),
        ]
        let tokens = try (0..<20).map { try world.authorization("channel\($0)") }
        try store.updateCache(of: sessions[0]) { cache in for token in tokens { cache.keep(token) } }
        return sessions.map { store.records.key($0.place) }
    }

    @Test("A log-out removes tokens that a damaged index no longer lists", arguments: [true, false])
    func forgotten(listsKinds: Bool) throws {
        // A plain store of the app cannot list its records.
        let plain = PlainStore(world.memory)
        let store = try world.store(on: listsKinds ? world.keyring : plain)
        let buckets = try signIn(store)
        try world.put("{}", under: store.records.indexKey)
        let later = try world.store(app: "com.example.two", on: listsKinds ? world.keyring : plain)
        try later.logOut()
        for key in buckets { #expect(try world.isEmpty(key)) }
        for index in 0..<16 {
            let page = AuthorizationPage.place(
                index,
                of: try #require(buckets.first?.kind).replacing("pass-separate.", with: "")
            )
            #expect(try world.isEmpty(store.records.key(page)))
        }
        #expect(try later.session(of: first) == nil)
    }

    @Test("Tokens lost from an index that a sign-in replaced are removed by a log-out")
    func forgottenBefore() throws {
        let store = try world.store()
        let buckets = try signIn(store)
        try world.put("{}", under: store.records.indexKey)
        try store.signIn(world.token("R3", "M3"), for: RequestorConfiguration("R3", "M3"))
        try store.logOut()
        for key in buckets { #expect(try world.isEmpty(key)) }
    }

    @Test("A log-out that dies over a damaged index is completed by the next configuration")
    func death() throws {
        for writes in 1...4 {
            let world = PassStoreFixture()
            let store = try world.store()
            let session = try store.signIn(world.token("R2", "M2"), for: second)
            try store.signIn(world.token("R1", "M1"), for: first)
            try world.put("{}", under: store.records.indexKey)
            world.keyring.die(after: writes)
            _ = try? store.logOut()
            world.keyring.mend()
            _ = try world.store(app: "com.example.two").configure(first)
            #expect(try world.isEmpty(store.records.key(session.place)), "after \(writes) writes")
        }
    }

    @Test("Different names are different buckets, even if one contains a line break")
    func separators() throws {
        let store = try world.store()
        let one = RequestorConfiguration("R\nx", "M")
        let two = RequestorConfiguration("R", "x\nM")
        for requestor in [one, two, RequestorConfiguration("R\\nx", "M")] {
            let integration = MVPDIntegration(mvpd: requestor.integrations[0].mvpd, isPerRequestor: true)
            let own = RequestorConfiguration(id: requestor.id, integrations: [integration])
            try store.signIn(world.token(own.id, integration.mvpd), for: own)
        }
        #expect(try store.contents().tokens.map(\.token.requestor) == ["R\nx", "R", "R\\nx"])
        // Plain names keep their earlier bucket names.
        let parts = ["R1", "M1", "device"]
        #expect(
            StoreIndex.bucket(named: parts) == String(Digest.fingerprint(of: parts.joined(separator: "\n")).prefix(32))
        )
    }
}

extension OneAtATime {
    /// A log-out after damage on a real keyring, which sets damaged records aside in separate items.
    struct SetAsideTests {
        @Test("A log-out removes unreadable items that were set aside")
        func setAside() throws {
            let project = try KeyringProject()
            let service = project.keyring.makeService(timeout: .seconds(20))
            let requestor = RequestorConfiguration("R1", "M1")
            let store = PassTokenStore(
                appID: "com.example.one",
                group: try AccessGroup(PassStoreFixture.team),
                in: SecretServiceRecordStore(service),
                device: try .custom("device"),
                options: .init(project: project.name, timeout: .seconds(20))
            )
            func signIn() throws {
                try store.signIn(.sample(for: store.device), for: requestor)
            }
            // Both places of the bucket, and the index, are garbled one after another.
            for _ in 0..<3 {
                try signIn()
                for item in try project.items() { try item.setSecret(Secret("garbled, but with a token in it")) }
            }
            try signIn()
            #expect(
                try project.items().contains { try $0.attributes()["sharedauth-kind"]?.contains("set-aside") == true }
            )
            try store.logOut()
            #expect(try project.items().map { try $0.attributes()["sharedauth-kind"] } == ["pass-separate.index"])
            try project.sweep()
        }
    }
}

/// A log-out after damage in encrypted files, whose names reveal nothing.
struct SetAsideFileTests {
    @Test("A log-out of encrypted files removes those set aside or no longer listed")
    func files() throws {
        let directory = TestDirectory.newPath()
        let key = FileStoreKey.passphrase(Secret("correct horse"), cost: 2)
        let world = PassStoreFixture()
        let store = try world.store(on: EncryptedFileRecordStore(directory: directory, key: key))
        let requestors = [RequestorConfiguration("R1", "M1"), RequestorConfiguration("R2", "M2")]
        func names(_ part: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.contains(part) }
        }
        for requestor in requestors {
            try store.signIn(world.token(requestor.id, requestor.mvpds.first ?? ""), for: requestor)
        }
        // The index, two buckets, and the list of buckets.
        #expect(try names(".record").count == 4)
        let list = "\(store.records.key("buckets").hexadecimalDigest).record"
        for name in try names(".record") where name != list {
            let file = URL(filePath: "\(directory)/\(name)")
            try Data(contentsOf: file).dropLast().write(to: file)
        }
        try store.signIn(world.token("R1", "M1"), for: requestors[0])
        #expect(try !names(".set-aside-").isEmpty)
        try store.logOut()
        #expect(try names(".set-aside-").isEmpty && names(".record").count == 2)
        #expect(try store.contents() == StoreContents())
    }
}
