import Dispatch
import Foundation
import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// Measures from the acknowledgement of a write in one process to the call of a listener in another.
struct Announcing {
    private let bench: BenchmarkFixture

    init(_ bench: BenchmarkFixture) { self.bench = bench }

    func measure(samples count: Int) async throws -> Outcome {
        let keyring = bench.keyring
        let pipe = Pipe()
        let listener = try keyring.start(
            bench.programs.app,
            ["listen", "com.example.Listener", "\(keyring.directory)/listener", BenchmarkFixture.groups[0]],
            output: pipe.fileHandleForWriting.fileDescriptor
        )
        defer { listener.end() }
        let lines = LineReader(pipe.fileHandleForReading)
        guard lines.next() != nil else { throw Failure("the listener did not start") }

        let acknowledged = Mutex<UInt64>(0)
        let interceptor = CallInterceptor { call, proceed in
            guard call.member == "CreateItem" else { return nil }
            _ = proceed()
            acknowledged.withLock { $0 = Stopwatch.now }
            return nil
        }
        let identity = ScriptedIdentity()
        var options = BenchmarkFixture.options(keyring, identity)
        options.appID = "com.example.Writer"
        options.observesOtherProcesses = false
        options.store = .custom(keyring.makeStore(interceptor: interceptor))
        let auth = try Auth.auth(app: AuthApp(unregistered: options))
        try auth.useUserAccessGroup(BenchmarkFixture.groups[0])

        var (latencies, trips) = (Samples(), Samples())
        for sample in 0..<(count + 20) {
            identity.expect(.scripted("announced\(sample)"))
            try await auth.signIn(withEmail: "a@example.com", password: "password")
            guard let line = lines.next(), let heard = UInt64(line) else { throw Failure("the listener went away") }
            let trip = try Stopwatch.time { try bench.bare.ping() }
            if sample < 20 { continue }
            let written = acknowledged.withLock { $0 }
            latencies.add([Double(Int64(heard) - Int64(written)) / 1000])
            trips.add([trip])
        }
        return Outcome(
            row: "another process is notified",
            who: "acknowledged there to listener here",
            unit: "µs",
            median: latencies.median,
            p99: latencies.p99,
            rivals: [
                .init(
                    who: "bare round trip to the keyring",
                    median: trips.median,
                    p99: trips.p99,
                    ratio: latencies.median / trips.median,
                    aim: 4
                ),
                .init(
                    who: "the same; the ratio is of our 99th percentile",
                    median: trips.median,
                    p99: trips.p99,
                    ratio: latencies.p99 / trips.median,
                    aim: 30
                ),
            ]
        )
    }
}
