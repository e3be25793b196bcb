import Glibc
import SecretService
import TestSupport

/// The scripted daemon, on a private bus that ends with the bench.
final class Fake: Sendable {
    let bench: Bench
    private let commands: Int32

    /// Starts the daemon with these words, which the daemon's source explains.
    init(_ words: String...) throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        bench = Bench(keyring)
        let appeared = Recorder<Bool>()
        let watch = try bench.service.watch { change in
            if case .daemonAppeared = change { appeared.record(true) }
        }
        defer { watch.cancel() }
        let ends = try SocketPair()
        commands = ends.ours
        _ = try keyring.start(
            try BuiltProducts.executable("TestDaemon"),
            ["scripted-daemon"] + words,
            input: ends.theirs,
            output: ends.theirs
        )
        close(ends.theirs)
        guard appeared.take(until: { $0 }) != nil else { throw NotThere() }
    }

    deinit {
        close(commands)
    }

    /// Changes the daemon's behavior, and returns when the change has taken effect.
    func tell(_ word: String) throws {
        let line = Array("\(word)\n".utf8)
        _ = unsafe line.withUnsafeBytes { bytes in unsafe write(commands, bytes.baseAddress, bytes.count) }
        var byte: UInt8 = 0
        while byte != 10 {
            guard unsafe read(commands, &byte, 1) == 1 else { throw NotThere() }
        }
    }

    struct NotThere: Error {}
}
