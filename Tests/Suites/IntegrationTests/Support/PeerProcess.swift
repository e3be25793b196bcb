import Dispatch
import Foundation
import Glibc
import TestSupport

/// An app in a process of its own, to be commanded, watched, stopped and killed.
final class PeerProcess: Sendable {
    /// What a command ended with, if that was an error.
    struct Refusal: Error, CustomStringConvertible {
        let line: PeerLine
        var code: Int { line.error ?? 0 }
        var description: String { "\(line.answer ?? "?"): \(line.message ?? "?") (\(code))" }
    }

    let child: ChildProcess
    let inbox = PeerInbox()
    private let commands: Int32
    private let output: FileHandle

    /// Starts the app in a test's world; what it says first answers `start`.
    init(
        _ world: AppFixture,
        appID: String = "com.example.Peer",
        locking: String = "automatic",
        deaf: Bool = true,
        deadline: Int? = nil,
        options: [String] = []
    ) throws {
        // Who has no need of a bus gets none.
        let bus = world.files == nil ? world.keyring.busAddress : "unix:path=/nonexistent"
        var arguments = [appID, world.project, bus, world.state, locking] + options
        if let files = world.files { arguments += ["--file-store", files.directory, files.keyFile] }
        if deaf { arguments.append("--deaf") }
        if let deadline { arguments += ["--deadline", "\(deadline)"] }
        let input = try SocketPair()
        let output = try SocketPair()
        child = try world.keyring.start(
            try BuiltProducts.executable("TestPeer"),
            arguments,
            input: input.theirs,
            output: output.theirs
        )
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

    /// Starts it and waits until it has loaded.
    static func started(
        _ world: AppFixture,
        appID: String = "com.example.Peer",
        group: String? = nil,
        locking: String = "automatic",
        deaf: Bool = true,
        deadline: Int? = nil,
        options: [String] = []
    ) async throws -> PeerProcess {
        let peer = try PeerProcess(
            world,
            appID: appID,
            locking: locking,
            deaf: deaf,
            deadline: deadline,
            options: options
        )
        _ = try await peer.answer("start")
        if let group { try await peer.obey("use-group \(group)") }
        return peer
    }

    /// Gives a command and waits for the answer; an error is thrown.
    @discardableResult
    func obey(_ command: String) async throws -> PeerLine {
        tell(command)
        let verb = command.split(separator: " ").first.map(String.init) ?? ""
        let line = try await answer(verb)
        if line.error != nil { throw Refusal(line: line) }
        return line
    }

    /// Gives a command and waits for nothing; nothing happens if the process is dead.
    func tell(_ command: String) {
        let line = Array("\(command)\n".utf8)
        _ = unsafe line.withUnsafeBytes { bytes in
            unsafe send(commands, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Gives no further command: the process ends when it has carried out those that it has.
    func endCommands() { shutdown(commands, Int32(SHUT_WR)) }

    /// The answer to a command, error or not.
    func answer(_ verb: String) async throws -> PeerLine {
        try await inbox.first("the answer to \(verb)") { $0.answer == verb }
    }

    /// The next event of this kind.
    func event(_ kind: String, _ uid: String? = nil) async throws -> PeerLine {
        try await inbox.first("the event \(kind)") { $0.event == kind && (uid == nil || $0.uid == uid) }
    }

    /// Waits until the process has stopped or ended; says whether it has stopped.
    func hasStopped() async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [child] in
                var information = unsafe siginfo_t()
                let options = WSTOPPED | WEXITED | WNOWAIT
                while unsafe waitid(P_PID, id_t(child.processID), &information, options) == -1, errno == EINTR {}
                continuation.resume(returning: unsafe information.si_code == Int32(CLD_STOPPED))
            }
        }
    }
}
