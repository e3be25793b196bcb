import Foundation
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests devices whose processes are killed or stopped.
struct ProcessTests {
    /// The number of operations of each process.
    private static let operations = ProcessInfo.processInfo.environment["FLEET_OPERATIONS"].flatMap(Int.init) ?? 60

    @Test(
        "Operations of eight processes on three devices have an order that explains each result",
        .timeLimit(.minutes(5 + operations / 50))
    )
    func history() async throws {
        let person = try PostgresFleet()
        let devices = try FileDevice.fleet(of: 3, for: person)
        let seed = ProcessInfo.processInfo.environment["HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        let count = Self.operations
        print("fleet: HISTORY_SEED=\(seed)")
        let operations = try await withThrowingTaskGroup(of: [HistoryOperation].self) { group in
            for number in 0..<8 {
                group.addTask {
                    let seed = String(seed &+ UInt64(number))
                    let peer = try devices[number % 3].start("history", String(number), seed, String(count))
                    let line = try #require(peer.line())
                    return try JSONDecoder().decode([HistoryOperation].self, from: Data(line.utf8))
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(operations.count == 8 * count)
        #expect(LinearizabilityChecker.contradictions(in: operations).isEmpty, "HISTORY_SEED=\(seed)")
    }

    @Test(
        "A stopped holder loses its turn; awake, it saves tokens that no other device exchanged",
        .timeLimit(.minutes(5))
    )
    func stoppedHolder() throws {
        let person = try PostgresFleet()
        let devices = try FileDevice.fleet(of: 2, for: person)
        let payload = try UserRecords.signedIn("alice")
        try devices[1].store().change(sharedKey, .write(payload))
        let peer = try devices[0].start("turn")
        peer.send("")
        #expect(peer.line() == "turn")
        peer.signal(SIGSTOP)
        // The server ends the stopped process's transaction; its note stays.
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try devices[1].store().acquire("refresh", for: sharedKey, by: .patient)
        }
        #expect(error?.ofFleet?.code == .exchangeInterrupted)
        peer.signal(SIGCONT)
        peer.send("")
        peer.send(String(decoding: try UserRecords.refreshed(payload), as: UTF8.self))
        #expect(peer.line() == "written")
        try devices[1].store().acquire("refresh", for: sharedKey, by: .patient).release()
        #expect(try UserRecords.users(devices[1].store().payload(sharedKey)) == ["alice": 1])
    }

    @Test("A holder killed in its turn leaves the tokens to its device", .timeLimit(.minutes(5)))
    func killedHolder() throws {
        let person = try PostgresFleet()
        let devices = try FileDevice.fleet(of: 2, for: person)
        try devices[1].store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let peer = try devices[0].start("turn")
        peer.send("")
        #expect(peer.line() == "turn")
        peer.end()
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try devices[1].store().acquire("refresh", for: sharedKey, by: .patient)
        }
        #expect(error?.ofFleet?.code == .exchangeInterrupted)
        #expect(error?.message.contains("device 0") == true)
        let again = try devices[0].start("turn")
        again.send("")
        #expect(again.line() == "turn")
        again.send("")
        again.send(String(decoding: try UserRecords.signedIn("bob"), as: UTF8.self))
        #expect(again.line() == "written")
        try devices[1].store().acquire("refresh", for: sharedKey, by: .patient).release()
    }
}
