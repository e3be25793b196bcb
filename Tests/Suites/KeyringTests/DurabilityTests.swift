import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OnEveryDaemon {
    /// Tests which writes survive if the daemon dies right after its reply.
    struct DurabilityTests {
        @Test(
            "A durable daemon keeps the writes it acknowledged before it was killed",
            arguments: DaemonKind.allCases
        )
        func durable(
            _ kind: DaemonKind
        ) throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let isDurable = try bench.store.isDurableOnAcknowledge(by: bench.deadline)
            var outcomes: Set<String> = []
            for round in 1...3 {
                let text = "round \(round)"
                try bench.write(text)
                try bench.keyring.restartDaemon()
                switch try bench.read() {
                case .whole(let record) where String(decoding: record.payload, as: UTF8.self) == text:
                    outcomes.insert("keeps it")
                case .whole: outcomes.insert("falls back to the record before")
                case .none: outcomes.insert("loses it")
                // Never treated as a sign-out.
                case .empty, .damaged: outcomes.insert("leaves it damaged")
                case .newer(let reason): Issue.record("newer: \(reason)")
                }
                switch try bench.read() {
                case .none, .whole, .newer: break
                case .empty, .damaged:
                    _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .removeDamaged }
                }
            }
            if isDurable { #expect(outcomes == ["keeps it"]) }
            #expect(isDurable == (kind == .gnomeKeyring))
            Observations.note(kind, "Killed right after a write", outcomes.sorted().joined(separator: ", or "))
            Observations.note(kind, "Counts as durable", isDurable ? "yes" : "no: a migration's original goes later")
        }

        @Test(
            "Records are unchanged after the daemon has ended and started again",
            arguments: DaemonKind.allCases
        )
        func endedAndStarted(
            _ kind: DaemonKind
        ) throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let payload = (0..<2048).map { UInt8(truncatingIfNeeded: $0) }
            _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .write(payload) }
            try bench.awaitSaving()
            try bench.keyring.terminateDaemon()
            try bench.keyring.startDaemon(unlocked: true)
            // The store that stayed open, and a new one.
            for found in [try bench.store.read(bench.key, by: bench.deadline), try bench.read()] {
                guard case .whole(let record) = found else {
                    Issue.record("\(kind.rawValue): \(found)")
                    continue
                }
                #expect(record.payload == payload)
            }
        }
    }
}

extension Bench {
    /// Has KWallet save. It saves only when it locks, or after five seconds without a write; a logout waits for
    /// neither.
    fileprivate func awaitSaving() throws {
        guard keyring.kind == .kWallet else { return }
        try keyring.lock()
    }
}
