import Dispatch
import Foundation
import Glibc
import TestSupport

/// An app in a separate process that tests command, watch, stop and kill.
final class PeerProcess: Sendable {
    /// The error of a command.
    struct Refusal: Error, CustomStringConvertible {
        let line: PeerLine
        var code: Int { line.error ?? 0 }
        var description: String { "\(line.answer ?? "?"): \(line.message ?? "?") (\(code))" }
    }

    let child: ChildProcess
    let inbox = PeerInbox()
    private let commands: Int32
    private let output: FileHandle

    /// Starts the app in a test's fixture, as the user who runs the tests or as another one. Its first line is the
    /// response to `start`.
    init(
        _ world: AppFixture,
        as user: OrdinaryUser? = nil,
        appID: String = "com.example.Peer",
        locking: String = "automatic",
        observes: Bool = false,
        deadline: Int? = nil,
        options: [String] = []
    ) throws {
        // A process with a file store needs no bus.
        let bus = world.files == nil ? world.keyring.busAddress : "unix:path=/nonexistent"
        var arguments = [appID, world.project, bus, world.state, locking] + options
        if let files = world.files { arguments += ["--file-store", files.directory, files.keyFile] }
        if !observes { arguments.append("--no-observing") }
        if let deadline { arguments += ["--deadline", "\(deadline)"] }
        let input = try SocketPair()
        let output = try SocketPair()
        let peer = try BuiltProducts.executable("TestPeer")
        child =
            if let user {
                try user.start([peer] + arguments, input: input.theirs, output: output.theirs)
            } else {
                try world.keyring.start(peer, arguments, input: input.theirs, output: output.theirs)
            }
        inbox.attach(to: child)
        close(input.theirs)
        close(output.theirs)
        commands = input.ours
        self.output = FileHandle(fileDescriptor: output.ours, closeOnDealloc: true)
        self.output.readabilityHandler = { [inbox] handle in
            let data = handle.availableData
            inbox.receive(Array(data))
            if data.isEmpty { handle.readabilityHandler = nil }
        }
    }

    deinit {
        close(commands)
        output.readabilityHandler = nil
        child.end()
    }

    /// Starts the process and waits until it has loaded.
    static func started(
        _ world: AppFixture,
        as user: OrdinaryUser? = nil,
        appID: String = "com.example.Peer",
        group: String? = nil,
        locking: String = "automatic",
        observes: Bool = false,
        deadline: Int? = nil,
        options: [String] = []
    ) async throws -> PeerProcess {
        let peer = try PeerProcess(
            world,
            as: user,
            appID: appID,
            locking: locking,
            observes: observes,
            deadline: deadline,
            options: options
        )
        _ = try await peer.answer("start")
        if let group { try await peer.obey("use-group \(group)") }
        return peer
    }

    /// Sends a command and waits for the response; throws its error.
    @discardableResult
    func obey(_ command: String) async throws -> PeerLine {
        tell(command)
        let verb = command.split(separator: " ").first.map(String.init) ?? ""
        let line = try await answer(verb)
        if line.error != nil { throw Refusal(line: line) }
        return line
    }

    /// Sends a command without waiting; does nothing if the process has ended.
    func tell(_ command: String) {
        let line = Array("\(command)\n".utf8)
        _ = unsafe line.withUnsafeBytes { bytes in
            unsafe send(commands, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Sends no further command: the process ends after those that it has received.
    func endCommands() { shutdown(commands, Int32(SHUT_WR)) }

    /// Returns the response to a command, error or not.
    func answer(_ verb: String) async throws -> PeerLine {
        try await inbox.first("the response to \(verb)") { $0.answer == verb }
    }

    /// Returns the next event of this kind.
    func event(_ kind: String, _ uid: String? = nil) async throws -> PeerLine {
        try await inbox.first("the event \(kind)") { $0.event == kind && (uid == nil || $0.uid == uid) }
    }

    /// Waits until the process has stopped or ended, and returns whether it has stopped.
    func hasStopped() async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [child] in continuation.resume(returning: child.hasStopped()) }
        }
    }
}
