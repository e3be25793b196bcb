import DesktopSupport
import Foundation
import SharedAuthRecords
import Synchronization
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests many clients that find tokens expired at the same time.
struct ClientTests {
    /// An issuer that ends the session when a token is presented twice.
    private final class Issuer: Sendable {
        private let state = Mutex((exchanges: 0, isEnded: false))

        var exchanges: Int { state.withLock { $0.exchanges } }
        var isEnded: Bool { state.withLock { $0.isEnded } }

        func exchange(_ number: Int) {
            state.withLock { state in
                if state.exchanges != number { state.isEnded = true }
                state.exchanges += 1
            }
        }
    }

    /// Does what a client does that finds its token expired. Returns the number of the token that it has then.
    private static func refresh(
        from present: Int,
        _ store: FleetRecordStore,
        at issuer: Issuer
    ) throws(RecordStoreError) -> Int {
        let turn = try store.acquire("refresh", for: sharedKey, by: .patient)
        defer { turn.release() }
        guard case .whole(let record) = try store.read(sharedKey, by: .patient) else { return -1 }
        let found = (try? UserRecords.users(record.payload)["alice"]) ?? -1
        guard found == present, let next = try? UserRecords.refreshed(record.payload) else { return found }
        issuer.exchange(found)
        try store.update(sharedKey, by: .patient) { _ in .write(next) }
        return found + 1
    }

    /// The number of clients for which the server has enough connections: `FLEET_CLIENTS`, which may be 1000, or 100.
    private static let clients = ProcessInfo.processInfo.environment["FLEET_CLIENTS"].flatMap { Int($0) } ?? 100

    @Test(
        "Many clients exchange a token once for each expiry, and end no session",
        .timeLimit(.minutes(10)),
        arguments: [(clients, 2 * clients + 50), (60, 40)]
    )
    func manyClients(_ clients: Int, _ connections: Int) throws {
        let server = try PrivatePostgres(settings: ["max_connections = \(connections)"])
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let first = try person.firstDevice()
        let others = (1..<20).map { _ in TestDevice() }
        for (number, device) in others.enumerated() {
            try first.enrol(device, named: "device \(number)", at: person.address)
        }
        try first.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let devices = [first] + others
        // A store for each client, as separate processes have them.
        let stores = (0..<clients).map { devices[$0 % devices.count].store() }
        let issuer = Issuer()
        for expiry in 1...2 {
            let began = ContinuousClock.now
            let results = Recorder<Result<Int, RecordStoreError>>()
            for store in stores {
                startThread(named: "client") {
                    results.record(
                        Result { () throws(RecordStoreError) in
                            try Self.refresh(from: expiry - 1, store, at: issuer)
                        }
                    )
                }
            }
            var (fresh, away) = (0, 0)
            for _ in stores {
                switch try #require(results.take { _ in true }?.last) {
                case .success(let number):
                    #expect(number == expiry)
                    fresh += 1
                case .failure(let error):
                    #expect(error.code == .unavailable && error.message.contains("53300"), "\(error)")
                    away += 1
                }
            }
            // If clients that wait for the turn have all connections, none gets through; a later one does.
            if fresh == 0 { #expect(try Self.refresh(from: expiry - 1, first.store(), at: issuer) == expiry) }
            print("fleet: \(fresh) of \(clients) clients refreshed in \(began.duration(to: .now))")
            #expect(issuer.exchanges == expiry && !issuer.isEnded)
            if connections > clients { #expect(away == 0) }
        }
    }
}
