import Glibc
import TestSupport
import Testing

/// A simulated user at a separate display, who answers the prompts of a private GNOME Keyring.
final class Person: Sendable {
    private let keyring: PrivateKeyring
    private let display: String

    /// Starts a display. Cancels the test if none is available.
    init(at keyring: PrivateKeyring) throws {
        try Self.requireDisplay()
        self.keyring = keyring
        let ends = try SocketPair()
        defer { close(ends.ours) }
        // Xvfb selects a free number and prints it. Without -noreset, it refuses clients for a moment whenever its last
        // client disconnects.
        _ = try keyring.start("Xvfb", ["-displayfd", "1", "-nolisten", "tcp", "-noreset"], output: ends.theirs)
        close(ends.theirs)
        var number = ""
        var byte: UInt8 = 0
        while unsafe read(ends.ours, &byte, 1) == 1, byte != 10 { number.unicodeScalars.append(Unicode.Scalar(byte)) }
        display = "DISPLAY=:\(number)"
    }

    /// Waits for the prompt that `body` causes, types each text into its own field, and confirms.
    func types<Result>(_ texts: [String], while body: () async throws -> Result) async throws -> Result {
        try startPrompter()
        async let answered: Void = type(texts)
        do {
            let result = try await body()
            try await answered
            return result
        } catch {
            // The reason why the prompt was not answered is more useful than the error of `body`.
            try await answered
            throw error
        }
    }

    /// Leaves the prompt unanswered while `body` runs, and types into it afterwards.
    func typesLate(_ texts: [String], after body: () async throws -> Void) async throws {
        try startPrompter()
        try await body()
        try type(texts)
    }

    /// Waits until the prompt is on the screen.
    func seesPrompt() throws { try act(["search", "--sync"] + Self.dialog) }

    /// Starts the prompter. The private bus starts no services, and without a prompter the keyring treats a prompt as
    /// declined.
    private func startPrompter() throws {
        _ = try keyring.start("env", [display, "NO_AT_BRIDGE=1"] + DebianRoots.command([Self.prompter]))
        _ = try keyring.run("gdbus", ["wait", "--session", "--timeout", "20", "org.gnome.keyring.SystemPrompter"])
    }

    /// Types the texts, and repeats this while the dialog stays: a dialog that has just opened may miss keys.
    private func type(_ texts: [String]) throws {
        try act(["search", "--sync"] + Self.dialog + ["windowfocus", "--sync"])
        for attempt in 0..<5 {
            // If keys were missed, the focus is in the first field or in the last one.
            if !attempt.isMultiple(of: 2) { try act(["key", "shift+Tab"]) }
            for (number, text) in texts.enumerated() {
                if number > 0 { try act(["key", "Tab"]) }
                if attempt > 0 { try act(["key", "ctrl+a"]) }
                try act(["type", text])
            }
            try act(["key", "Return"])
            if try isGone(within: .seconds(3)) { return }
        }
        throw Clumsy(result: "The dialog is still there.")
    }

    private func isGone(within limit: Duration) throws -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if try xdotool(["search"] + Self.dialog).status != 0 { return true }
        }
        return false
    }

    private func act(_ words: [String]) throws {
        let result = try xdotool(words)
        guard result.status == 0 else { throw Clumsy(result: "\(words): \(result.standardError)") }
    }

    private func xdotool(_ words: [String]) throws -> ProcessResult {
        try keyring.run("env", [display, "timeout", "20", "xdotool"] + words)
    }

    private static func requireDisplay() throws {
        for program in ["Xvfb", "xdotool", prompter] where Programs.path(of: program) == nil {
            try Test.cancel("Prompts cannot be answered: \(program) is not installed.")
        }
    }

    private struct Clumsy: Error {
        let result: String
    }

    private static let prompter = "/usr/libexec/gcr-prompter"
    private static let dialog = ["--onlyvisible", "--class", "gcr-prompter"]
}
