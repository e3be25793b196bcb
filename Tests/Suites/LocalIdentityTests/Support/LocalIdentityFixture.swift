import Foundation
import SecretService
import SharedAuth
import TestSupport

@testable import LocalIdentity

/// A store and a clock, and identity providers that use them.
final class LocalIdentityFixture: Sendable {
    let store: any RecordStore
    let project: String
    private let clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000.75))

    init(store: any RecordStore = InMemoryRecordStore(), project: String = "project") {
        self.store = store
        self.project = project
    }

    /// The time of the identity providers' clock.
    var now: Date { clock.now }

    /// Advances the clock.
    func advance(by seconds: TimeInterval) { clock.advance(by: seconds) }

    /// Makes an identity provider, as another process does.
    func identity(
        _ project: String? = nil,
        on store: (any RecordStore)? = nil,
        timeout: Duration = .seconds(20),
        lifetime: Duration = .seconds(3600)
    ) -> LocalIdentity {
        LocalIdentity(
            store: store ?? self.store,
            project: project ?? self.project,
            timeout: timeout,
            settings: LocalIdentity.Settings(tokenLifetime: lifetime, passwordCost: 4),
            now: { self.now }
        )
    }

    /// Returns everything that the project has stored, as text.
    func storedText() throws -> [String: String] {
        var texts: [String: String] = [:]
        for key in keys {
            if case .whole(let record) = try store.read(key, by: .patient) {
                texts[key.kind] = String(decoding: record.payload, as: UTF8.self)
            }
        }
        return texts
    }

    /// The keys that an identity provider of the project may use.
    var keys: [RecordKey] {
        [.identityKeys(of: project)] + (0..<AccountShard.count).map { .identityAccounts($0, of: project) }
    }

    /// Returns the stored shard of an account.
    func shard(of uid: String) async throws -> AccountShard {
        try await identity().records.shard(AccountShard.number(of: uid))
    }
}

extension AuthCredential {
    static func password(_ email: String, _ password: String) -> AuthCredential {
        EmailAuthProvider.credential(withEmail: email, password: password)
    }
}
