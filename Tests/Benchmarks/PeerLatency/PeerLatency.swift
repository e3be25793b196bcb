import CLibsecret
import Dispatch
import Foundation
import PrivateKeyring
import ScriptedIdentity
import SecretService
import SharedAuth
import Synchronization

/// Measures how soon another process's listener hears of a write, and what a watcher costs while nothing happens.
///
/// Without arguments it starts a private keyring, and itself as the listening process.
@main
struct PeerLatency {
    static let group = "group.example.latency"

    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "listen" {
            try Listener.run(stateDirectory: CommandLine.arguments[2])
        } else {
            let arguments = CommandLine.arguments
            guard arguments.count == 4, let samples = Int(arguments[1]), let seconds = UInt32(arguments[2]) else {
                throw Failure("usage: PeerLatency SAMPLES IDLE-SECONDS C-WATCHER")
            }
            try await measure(samples: samples, idleSeconds: seconds, yardstick: arguments[3])
        }
    }

    private static func measure(samples: Int, idleSeconds: UInt32, yardstick: String) async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let pipe = Pipe()
        let listener = try keyring.start(
            CommandLine.arguments[0],
            ["listen", "\(keyring.directory)/listener"],
            output: pipe.fileHandleForWriting.fileDescriptor
        )
        defer { listener.end() }
        let lines = LineReader(pipe.fileHandleForReading)
        guard lines.next() == "ready" else { throw Failure("the listener did not start") }

        let acknowledged = Mutex<UInt64>(0)
        var configuration = SecretService.Configuration(busAddress: .address(keyring.busAddress))
        configuration.interceptor = CallInterceptor { call, proceed in
            guard call.member == "CreateItem" else { return nil }
            _ = proceed()
            acknowledged.withLock { $0 = DispatchTime.now().uptimeNanoseconds }
            return nil
        }
        let identity = ScriptedIdentity()
        let app = try AuthApp(
            unregistered: AuthApp.Options(
                appID: "com.example.Writer",
                identityProvider: identity.source,
                store: .custom(SecretServiceRecordStore(SecretService(configuration))),
                stateDirectory: "\(keyring.directory)/writer",
                hearsPeers: false
            )
        )
        let auth = Auth.auth(app: app)
        try auth.useUserAccessGroup(group)
        let bus = try BareBus(address: keyring.busAddress)

        var latencies: [Double] = []
        var trips: [Double] = []
        for sample in 0..<(samples + 50) {
            identity.expect(.scripted("user\(sample)"))
            try await auth.signIn(withEmail: "a@example.com", password: "password")
            guard let line = lines.next(), let heard = UInt64(line) else { throw Failure("the listener went away") }
            let trip = bus.ping()
            if sample < 50 { continue }
            let acknowledged = acknowledged.withLock { $0 }
            latencies.append(Double(Int64(heard) - Int64(acknowledged)) / 1000)
            trips.append(trip)
        }
        let trip = trips.quantile(0.5)
        report("bare D-Bus round trip to the keyring, median", trip, of: trip)
        report("write acknowledged to peer's listener, median", latencies.quantile(0.5), of: trip)
        report("write acknowledged to peer's listener, 99th percentile", latencies.quantile(0.99), of: trip)

        let fresh = try keyring.start(
            CommandLine.arguments[0],
            ["listen", "\(keyring.directory)/idle"],
            output: pipe.fileHandleForWriting.fileDescriptor
        )
        _ = lines.next()
        let ends = Pipe()
        let watcher = try keyring.start(yardstick, [], output: ends.fileHandleForWriting.fileDescriptor)
        guard LineReader(ends.fileHandleForReading).next() == "ready" else {
            throw Failure("\(yardstick) did not start")
        }
        try compareIdle(ours: fresh.processID, theirs: watcher.processID, seconds: idleSeconds)
    }

    private static func compareIdle(ours: Int32, theirs: Int32, seconds: UInt32) throws {
        // Threads that only start-up needed take some seconds to go.
        sleep(10)
        let (before, theirsBefore) = (try ProcessUsage(of: ours), try ProcessUsage(of: theirs))
        sleep(seconds)
        let (after, theirsAfter) = (try ProcessUsage(of: ours), try ProcessUsage(of: theirs))
        print(
            "idle for \(seconds) s: processor time",
            after.processorTime - before.processorTime,
            "s, wake-ups",
            after.wakeUps - before.wakeUps,
            "(C on libsecret:",
            theirsAfter.processorTime - theirsBefore.processorTime,
            "s,",
            theirsAfter.wakeUps - theirsBefore.wakeUps,
            ")"
        )
        print(
            "resident memory: \(after.memory) KiB, C on libsecret \(theirsAfter.memory) KiB, ratio",
            String(format: "%.2f", Double(after.memory) / Double(theirsAfter.memory))
        )
        print(
            "of that, its own data: \(after.ownMemory) KiB, C on libsecret \(theirsAfter.ownMemory) KiB, ratio",
            String(format: "%.2f", Double(after.ownMemory) / Double(theirsAfter.ownMemory))
        )
    }

    private static func report(_ what: String, _ microseconds: Double, of trip: Double) {
        let name = what.padding(toLength: 56, withPad: " ", startingAt: 0)
        print(name, String(format: "%8.0f µs  %6.2f round trips", microseconds, microseconds / trip))
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension [Double] {
    /// The value below which this part of the values lies.
    func quantile(_ part: Double) -> Double {
        let sorted = self.sorted()
        return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}
