import Foundation
import SecretService
import SharedAuth
import TestSupport

@testable import PassAuth

/// One keyring, in memory, and the token stores of several apps on it.
struct PassStoreFixture {
    static let team = "TEAM1.example.pass"

    let memory: InMemoryRecordStore
    let keyring: FaultInjectingStore<InMemoryRecordStore>
    let clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000))

    init() {
        memory = InMemoryRecordStore()
        keyring = FaultInjectingStore(memory)
    }

    func store(
        app: String = "com.example.one",
        group: String? = PassStoreFixture.team,
        device: String = "device",
        _ generation: StorageGeneration = .separateBuckets,
        _ policy: DeviceMismatchPolicy = .ignore,
        integrity: IntegrityCheck = .none,
        on keyring: (any RecordStore)? = nil
    ) throws -> PassTokenStore {
        PassTokenStore(
            appID: app,
            group: try group.map { try AccessGroup($0) },
            in: keyring ?? self.keyring,
            device: DeviceIdentity(.custom, device),
            options: .init(
                generation: generation,
                mismatchPolicy: policy,
                integrityCheck: integrity,
                now: { [clock] in clock.now }
            )
        )
    }

    func token(
        _ requestor: String,
        _ mvpd: String,
        user: String = "person",
        device: String = "device",
        lifetime: TimeInterval = 3600
    ) throws -> AuthenticationToken {
        try AuthenticationToken(
            userID: user,
            requestor: requestor,
            domain: "example.com",
            mvpd: mvpd,
            expires: clock.now + lifetime,
            fingerprint: DeviceIdentity(.custom, device).fingerprint
        )
    }

    func authorization(
        _ resource: String,
        _ requestor: String = "R1",
        _ mvpd: String = "M1",
        lifetime: TimeInterval = 600
    ) throws -> AuthorizationToken {
        try AuthorizationToken(
            requestor: requestor,
            resource: resource,
            mvpd: mvpd,
            expires: clock.now + lifetime,
            fingerprint: DeviceIdentity(.custom, "device").fingerprint
        )
    }

    func isEmpty(_ key: RecordKey) throws -> Bool {
        if case .none = try keyring.read(key, by: .patient) { true } else { false }
    }
}

extension RequestorConfiguration {
    /// Creates the configuration of a programmer with plain integrations of these MVPDs.
    init(_ id: String, _ mvpds: String...) {
        self.init(id: id, integrations: mvpds.map { MVPDIntegration(mvpd: $0) })
    }
}

extension RecordKey {
    var isIndex: Bool { kind.hasSuffix(".index") }
    var isProbe: Bool { kind.contains(".probe") }
}

extension PassStoreFixture {
    /// Makes observers of the index read it again, though nothing changed.
    func touchIndex(of store: PassTokenStore) throws {
        memory.put(try memory.read(store.records.indexKey, by: .patient), under: store.records.indexKey)
    }

    /// Writes a text as the record of a key.
    func put(_ text: String, under key: RecordKey) throws {
        try memory.update(key, by: .patient) { _ in .replaceDamaged(Array(text.utf8)) }
    }

    /// Returns the record of a key as text.
    func text(_ key: RecordKey) throws -> String? {
        guard case .whole(let record) = try memory.read(key, by: .patient) else { return nil }
        return String(decoding: record.payload, as: UTF8.self)
    }
}
