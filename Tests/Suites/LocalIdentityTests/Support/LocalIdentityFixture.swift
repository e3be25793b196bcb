import Foundation
import SecretService
import SharedAuth
import TestSupport

@testable import LocalIdentity

/// A store, a clock, and identities on them.
final class LocalIdentityFixture: Sendable {
    let store: any RecordStore
    let project: String
    private let clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000.75))

    init(store: any RecordStore = InMemoryRecordStore(), project: String = "project") {
        self.store = store
        self.project = project
    }

    /// The time as the identities see it.
    var now: Date { clock.now }

    /// Lets time pass.
    func pass(_ seconds: TimeInterval) { clock.pass(seconds) }

    /// Creates an identity as a separate process would.
    func identity(
        _ project: String? = nil,
        timeout: Duration = .seconds(20),
        lifetime: Duration = .seconds(3600)
    ) -> LocalIdentity {
        LocalIdentity(
            store: store,
            project: project ?? self.project,
            timeout: timeout,
            settings: LocalIdentity.Settings(tokenLifetime: lifetime, passwordCost: 4),
            now: { self.now }
        )
    }

    /// Everything the project has stored, as text.
    func storedText() throws -> [String: String] {
        var texts: [String: String] = [:]
        for key in keys {
            if case .whole(let record) = try store.read(key, by: .patient) {
                texts[key.kind] = String(decoding: record.payload, as: UTF8.self)
            }
        }
        return texts
    }

    /// Every key a identity of the project may use.
    var keys: [RecordKey] {
        [.identityKeys(of: project)] + (0..<AccountShard.count).map { .identityAccounts($0, of: project) }
    }

    /// The shard an account is in, as it is stored.
    func shard(of uid: String) async throws -> AccountShard {
        try await identity().records.shard(AccountShard.number(of: uid))
    }
}

extension AuthCredential {
    static func password(_ email: String, _ password: String) -> AuthCredential {
        EmailAuthProvider.credential(withEmail: email, password: password)
    }
}
