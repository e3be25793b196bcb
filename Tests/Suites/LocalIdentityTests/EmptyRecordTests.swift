import Foundation
import SecretService
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import LocalIdentity
@testable import SharedAuth
@testable import SharedAuthRecords

/// Records that a keyring or a disk left empty or damaged, on the real stores.
@Suite(.serialized)
struct EmptyRecordTests {
    enum Place: String, CaseIterable, Sendable {
        case keyring
        case files
    }

    @Test(
        "With empty keys a refresh reports damage, and the next sign-in makes new ones",
        arguments: Place.allCases
    )
    func emptyKeys(_ place: Place) async throws {
        let bench = try StoreBench(place)
        let identity = bench.identity
        let grant = try await identity.signInAnonymously(tenantID: nil)
        try bench.replace(.identityKeys(of: bench.project), with: "")
        let error = await expectFailure(.recordDamaged) {
            try await identity.refreshTokens(grant.tokens.refreshToken)
        }
        #expect(error?.message.contains("the identity-keys record of project \(bench.project)") == true)
        #expect(error?.remedy?.contains("sign in or create an account") == true)
        await expectFailure(.recordDamaged) {
            try await identity.profile(idToken: grant.tokens.idToken)
        }
        #expect(try bench.contents(.identityKeys(of: bench.project)) == "")
        let next = try await identity.signInAnonymously(tenantID: nil)
        _ = try await identity.refreshTokens(next.tokens.refreshToken)
        #expect(try bench.contents(.identityKeys(of: bench.project)) != "")
    }

    @Test("Empty keys are replaced by a new account and by a sign-in with a password", arguments: Place.allCases)
    func emptyKeysWithPassword(_ place: Place) async throws {
        let bench = try StoreBench(place)
        let identity = bench.identity
        _ = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        for isNew in [false, true] {
            try bench.replace(.identityKeys(of: bench.project), with: "")
            let grant =
                isNew
                ? try await identity.createUser(withEmail: "b@example.com", password: "secret-1", tenantID: nil)
                : try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
            _ = try await identity.refreshTokens(grant.tokens.refreshToken)
        }
    }

    @Test("With empty accounts a refresh reports damage, and a new account replaces them", arguments: Place.allCases)
    func emptyAccounts(_ place: Place) async throws {
        let bench = try StoreBench(place)
        let identity = bench.identity
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let key = RecordKey.identityAccounts(AccountShard.number(of: grant.profile.uid), of: bench.project)
        try bench.replace(key, with: "")
        for _ in 1...2 {
            await expectFailure(.recordDamaged) {
                try await identity.refreshTokens(grant.tokens.refreshToken)
            }
            await expectFailure(.recordDamaged) {
                try await identity.deleteAccount(idToken: grant.tokens.idToken)
            }
            await expectFailure(.userNotFound) {
                try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
            }
            #expect(try bench.contents(key) == "")
        }
        let next = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        _ = try await identity.refreshTokens(next.tokens.refreshToken)
    }

    @Test("Damaged keys stop sign-ins until they are set aside, which keeps a copy", arguments: Place.allCases)
    func setAside(_ place: Place) async throws {
        let bench = try StoreBench(place)
        let identity = bench.identity
        let grant = try await identity.signInAnonymously(tenantID: nil)
        #expect(try !bench.setAsideIfDamaged(.keys))
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
        try bench.replace(.identityKeys(of: bench.project), with: "garbage")
        let error = await expectFailure(.recordDamaged) {
            try await identity.signInAnonymously(tenantID: nil)
        }
        let remedy = "sharedauth set-aside identity-keys --project \(bench.project)"
        #expect(error?.remedy?.contains(remedy) == true, "\(error?.remedy ?? "")")
        #expect(throws: AuthError.self) { try bench.check(.keys) }
        #expect(try bench.setAsideIfDamaged(.keys))
        #expect(try !bench.check(.keys))
        #expect(try bench.setAsideCopies() == ["garbage"])
        _ = try await identity.signInAnonymously(tenantID: nil)
        #expect(try bench.check(.keys))
    }

    @Test("A whole record with nonsense is set aside too, one of a newer version never")
    func nonsenseAndNewer() async throws {
        let world = LocalIdentityFixture()
        let store = world.store
        let grant = try await world.identity().signInAnonymously(tenantID: nil)
        let record = IdentityRecord.accounts(shard: AccountShard.number(of: grant.profile.uid))
        let deadline = Deadline.patient
        for (text, isSetAside) in [("{\"version\":2}", false), ("nonsense", true)] {
            try store.update(record.key(of: world.project), by: deadline) { _ in .write(Array(text.utf8)) }
            #expect(throws: AuthError.self) { try record.check(in: store, project: world.project, by: deadline) }
            if isSetAside {
                #expect(try record.setAsideIfDamaged(in: store, project: world.project, by: deadline))
            } else {
                #expect(throws: AuthError.self) {
                    try record.setAsideIfDamaged(in: store, project: world.project, by: deadline)
                }
            }
        }
        #expect(try !record.check(in: store, project: world.project, by: deadline))
    }

    @Test("All records have names, and other names mean no record")
    func names() {
        #expect(IdentityRecord.all.count == 17)
        #expect(IdentityRecord.all.allSatisfy { IdentityRecord(name: $0.name) == $0 })
        #expect(IdentityRecord(name: "identity-accounts-07") == .accounts(shard: 7))
        for name in ["", "identity-accounts", "identity-accounts-7", "identity-accounts-16", "user"] {
            #expect(IdentityRecord(name: name) == nil)
        }
    }
}

/// A real store for one test, and access to its content that bypasses the library.
private struct StoreBench {
    let place: EmptyRecordTests.Place
    let project = "project-\(UUID().uuidString)"
    let identity: LocalIdentity
    private let store: any RecordStore
    private let service: SecretService?
    private let directory: String

    private static let keyring = Result { try PrivateKeyring() }

    init(_ place: EmptyRecordTests.Place) throws {
        self.place = place
        let keyring = try Self.keyring.get()
        directory = "\(keyring.directory)/files-\(UUID().uuidString)"
        switch place {
        case .keyring:
            let service = keyring.makeService()
            store = SecretServiceRecordStore(service)
            self.service = service
        case .files:
            store = EncryptedFileRecordStore(directory: directory, key: .passphrase(Secret("open"), cost: 10))
            service = nil
        }
        identity = LocalIdentity(
            store: store,
            project: project,
            timeout: .seconds(20),
            settings: LocalIdentity.Settings(passwordCost: 4)
        )
    }

    func check(_ record: IdentityRecord) throws -> Bool {
        try record.check(in: store, project: project, by: .patient)
    }

    func setAsideIfDamaged(_ record: IdentityRecord) throws -> Bool {
        try record.setAsideIfDamaged(in: store, project: project, by: .patient)
    }

    /// Replaces the content of an existing record with a text.
    func replace(_ key: RecordKey, with text: String) throws {
        if service == nil { return try Data(text.utf8).write(to: try file(of: key)) }
        try item(of: key).setSecret(Secret(text))
    }

    /// Returns the raw content of a record.
    func contents(_ key: RecordKey) throws -> String {
        if service == nil { return String(decoding: try Data(contentsOf: file(of: key)), as: UTF8.self) }
        return String(decoding: try item(of: key).secret().bytes, as: UTF8.self)
    }

    /// Returns the contents that were set aside.
    func setAsideCopies() throws -> [String] {
        guard let service else {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            return try names.filter { $0.contains(".set-aside-") }.map {
                String(decoding: try Data(contentsOf: URL(filePath: "\(directory)/\($0)")), as: UTF8.self)
            }
        }
        return try service.items(matching: ["sharedauth-project": project]).unlocked
            .filter { try $0.attributes()["sharedauth-kind"]?.contains(".set-aside.") == true }
            .map { String(decoding: try $0.secret().bytes, as: UTF8.self) }
    }

    private func item(of key: RecordKey) throws -> SecretItem {
        let found = try #require(service).items(matching: ["sharedauth-project": project, "sharedauth-kind": key.kind])
        return try #require(found.unlocked.first)
    }

    private func file(of key: RecordKey) throws -> URL {
        URL(filePath: "\(directory)/\(key.fileName)")
    }
}
