internal import CommandLineSupport
internal import DesktopSupport
internal import Dispatch
internal import Glibc
internal import SharedAuth
internal import Synchronization

/// Runs a command for each announcement, one at a time and in order.
///
/// While a command runs, only the last announcement of each slot is kept.
final class CommandRunner: Sendable {
    private struct State {
        var waiting: [Announcement] = []
        var isRunning = false
    }

    private let command: String
    private let isVerbose: Bool
    /// The column that names the slot in text output; nil if there is only one slot.
    private let columns: SlotColumns?
    private let queue = DispatchQueue(label: "sharedauth.command")
    private let state = Mutex(State())

    /// Creates a runner for a command, which is executed with `/bin/sh -c`, as by C's `system`.
    init(_ command: String, isVerbose: Bool, columns: SlotColumns?) {
        self.command = command
        self.isVerbose = isVerbose
        self.columns = columns
    }

    /// Runs the command for an announcement.
    func run(_ announcement: Announcement) {
        let begins = state.withLock { state in
            state.waiting.removeAll { $0.group == announcement.group }
            state.waiting.append(announcement)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins {
            queue.async { [self] in runAll() }
        } else if isVerbose {
            StandardError.write(line: "\(announcement.line(naming: columns, \.uid)): waits until the command has ended")
        }
    }

    private func runAll() {
        while let announcement = next() {
            guard let complaint = ShellCommand(command).run(setting: announcement.variables) else { continue }
            StandardError.write(line: "\(complaint) Watching continues.")
        }
    }

    private func next() -> Announcement? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}

/// A shell command.
private struct ShellCommand {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Runs the command with an empty standard input, and waits for its end. The environment contains these variables,
    /// and no secret that this process received.
    ///
    /// - Returns: A message if the command was not started or did not exit with 0; nil otherwise.
    func run(setting variables: [(name: String, value: String)]) -> String? {
        var process: pid_t = 0
        let number = spawn(&process, setting: variables)
        guard number == 0 else {
            return "The command could not be started: \(unsafe String(cString: strerror(number)))."
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return "The exit status of the command is unknown." }
        }
        if status == 0 { return nil }
        let signal = status & 0x7f
        return signal == 0
            ? "The command has ended with status \(status >> 8)." : "The command was ended by signal \(signal)."
    }

    /// Starts the shell with this process's inherited signal settings. All files of this process except its output are
    /// closed.
    private func spawn(_ process: inout pid_t, setting variables: [(name: String, value: String)]) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var mask = InheritedSignals.present.mask
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for number in InheritedSignals.present.writeSignals { unsafe sigaddset(&defaults, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = unsafe (["sh", "-c", text] as [String]).map { unsafe strdup($0) }
        let assignments = unsafe variables.map { unsafe strdup("\($0.name)=\($0.value)") }
        let copies = unsafe words + assignments
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        let environment = unsafe SecretVariables.environmentWithout + assignments + [nil]
        return CoreDumps.withInheritedLimit {
            unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, words + [nil], environment)
        }
    }
}
