import SharedAuthRecords
import Synchronization
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests exchanges of rotating tokens by many clients at the same time.
struct RefreshTests {
    /// An issuer that ends the session when a token is presented twice.
    private final class Issuer: Sendable {
        private let state = Mutex((accepted: 0, exchanges: 0, isEnded: false))

        var exchanges: Int { state.withLock { $0.exchanges } }
        var isEnded: Bool { state.withLock { $0.isEnded } }

        func exchange(_ number: Int) {
            state.withLock { state in
                if state.accepted != number { state.isEnded = true }
                state.accepted += 1
                state.exchanges += 1
            }
        }
    }

    @Test("Forty clients on four devices exchange a token once for each expiry", .timeLimit(.minutes(4)))
    func manyClients() async throws {
        let person = try PostgresFleet()
        let first = try person.firstDevice()
        let others = (0..<3).map { _ in TestDevice() }
        for (number, device) in others.enumerated() {
            try first.enrol(device, named: "device \(number)", at: person.address)
        }
        try first.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let stores = ([first] + others).map { $0.store() }
        let issuer = Issuer()
        for expiry in 1...3 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<40 {
                    group.addTask {
                        try await onOwnThread {
                            let store = stores[client % stores.count]
                            let lock = try store.acquire("refresh", for: sharedKey, by: .patient)
                            defer { lock.release() }
                            let payload = try #require(try store.payload(sharedKey))
                            let present = try #require(try UserRecords.users(payload)["alice"])
                            if present == expiry { return }
                            issuer.exchange(present)
                            try store.change(sharedKey, .write(try UserRecords.refreshed(payload)))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(issuer.exchanges == expiry && !issuer.isEnded)
        }
    }
}
