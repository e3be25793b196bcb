import FoundationEssentials
import Glibc
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth

struct WatchExecTests {
    private let tool: Shell
    private let gate: Gate

    init() throws {
        tool = try Shell()
        gate = try Gate(at: "\(tool.keyring.directory)/gate-\(tool.project)")
    }

    private func watch(_ command: String, _ options: String...) throws -> RunningProgram {
        try RunningProgram(mergingErrors: ["watch", "--exec", command] + options + tool.identity, in: tool.keyring)
    }

    private static let say =
        #"echo "$SHAREDAUTH_WATCH_EVENT $SHAREDAUTH_WATCH_STATE <$SHAREDAUTH_WATCH_UID> <$SHAREDAUTH_WATCH_GROUP>""#

    @Test("The command is run for each announcement, and nothing else is printed")
    func eachAnnouncement() throws {
        #expect(try tool("use-group", Shell.group).status == 0)
        let watch = try watch(Self.say)
        #expect(try watch.line() == "auth-state signed-out <> <\(Shell.group)>")
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        // The first command may still run when both announcements arrive.
        var line = try watch.line()
        if line.hasPrefix("auth-state") {
            #expect(line == "auth-state signed-in <\(uid)> <\(Shell.group)>")
            line = try watch.line()
        }
        #expect(line == "id-token signed-in <\(uid)> <\(Shell.group)>")
        watch.process.signal(SIGTERM)
        #expect(watch.process.wait() == 0)
        #expect(throws: NothingToRead.self) { try watch.line() }
    }

    @Test("One command runs at a time; then it runs for the last announcement since")
    func coalescing() throws {
        let watch = try watch("\(Self.say); \(gate.pass); echo done", "--verbose")
        func next() throws -> String {
            while true {
                let line = try watch.line()
                // Skip the lines of --verbose about calls.
                if !line.contains(" ms") { return line }
            }
        }
        #expect(try next() == "auth-state signed-out <> <>")
        var uid: String?
        for verb in [["sign-in", "--anonymous"], ["sign-out"], ["sign-in", "--anonymous"]] {
            let call = verb + ["--json"] + tool.identity
            uid = try tool.keyring.run(BuiltProducts.executable("sharedauth"), call).uid
            let state = uid.map { "signed-in \($0)" } ?? "signed-out"
            for event in ["auth-state", "id-token  "] {
                #expect(try next() == "sharedauth: \(event)  \(state): waits until the command has ended")
            }
        }
        let last = try #require(uid)
        try gate.open()
        #expect(try next() == "done")
        #expect(try next() == "id-token signed-in <\(last)> <>")
        try gate.open()
        #expect(try next() == "done")
    }

    @Test("With several slots, the command runs for the last announcement of each")
    func coalescingSlots() throws {
        let calendar = tool.app("com.example.Calendar")
        let watch = try watch(
            "\(Self.say); \(gate.pass)",
            "--verbose",
            "--all-groups",
            "--declare",
            Shell.group
        )
        func next() throws -> String {
            while true {
                let line = try watch.line()
                if !line.contains(" ms") { return line }
            }
        }
        func awaitAnnouncements(_ count: Int) throws {
            for _ in 1...count { #expect(try next().hasSuffix("waits until the command has ended")) }
        }
        // The first line of the command may arrive after that of the tool.
        let first = try [next(), next()].sorted()
        #expect(
            first == [
                "auth-state signed-out <> <>",
                "sharedauth: auth-state  \(Shell.group)  signed-out: waits until the command has ended",
            ]
        )
        #expect(try calendar("use-group", Shell.group).status == 0)
        let shared = try #require(try calendar("sign-in", "--anonymous", "--json").uid)
        try awaitAnnouncements(2)
        let own = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        try awaitAnnouncements(2)
        try gate.open()
        #expect(try next() == "id-token signed-in <\(shared)> <\(Shell.group)>")
        try gate.open()
        #expect(try next() == "id-token signed-in <\(own)> <>")
        try gate.open()
    }

    @Test("A failed or killed command is reported, and watching continues")
    func failingCommand() throws {
        let command = #"[ "$SHAREDAUTH_WATCH_STATE" = signed-in ] && kill -9 $$; exit 3"#
        let watch = try watch(command)
        #expect(try watch.line() == "sharedauth: The command has ended with status 3. Watching continues.")
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try watch.line() == "sharedauth: The command was ended by signal 9. Watching continues.")
        let missing = try self.watch("nonexistent-command")
        #expect(try missing.line().contains("nonexistent-command"))
        #expect(try missing.line() == "sharedauth: The command has ended with status 127. Watching continues.")
    }

    @Test("The system's shell is used, whatever the PATH")
    func shell() throws {
        let watch = try RunningProgram(
            mergingErrors: ["watch", "--exec", "echo ran"] + tool.identity,
            environment: ["PATH=/nonexistent"],
            in: tool.keyring
        )
        #expect(try watch.line() == "ran")
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try watch.line() == "ran")
    }

    @Test(
        "The command has no token in its environment, empty input, and default signals",
        arguments: [[], ["--env", "API_TOKEN"]]
    )
    func environment(_ options: [String]) throws {
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let token = try #require(try tool("token").standardOutput.split(separator: ".").last)
        let program = try BuiltProducts.executable("sharedauth")
        let look = #"cat; env; perl -e "$LOOK" | grep -v Pid; echo end"#
        let watch = try RunningProgram(
            path: "/usr/bin/env",
            ["LOOK=\(InheritedState.script)", program, "run"] + options + tool.identity + [
                "--", program, "watch", "--exec", look,
            ] + tool.identity,
            in: tool.keyring
        )
        var lines: [String] = []
        while lines.last != "end" { lines.append(try watch.line()) }
        #expect(lines.contains("SHAREDAUTH_WATCH_EVENT=auth-state"))
        #expect(lines.contains("DBUS_SESSION_BUS_ADDRESS=\(tool.keyring.busAddress)"))
        #expect(
            !lines.contains { $0.contains(token) || $0.hasPrefix("SHAREDAUTH_ID_TOKEN") || $0.contains("API_TOKEN") }
        )
        let usual = try tool.keyring.run("/bin/sh", ["-c", #"perl -e "$0" | grep -v Pid"#, InheritedState.script])
        #expect(usual.standardOutput.contains("SigBlk 0\n"))
        // Ignore the open files, as some belong to other tests.
        let state = usual.standardOutput.drop { $0 != "\n" }
        #expect(lines.joined(separator: "\n").hasSuffix("\(state)end"), "\(lines)")
    }

    @Test("A uid is one line of the command's environment, whatever it contains")
    func uid() throws {
        let tokens = UserTokens(
            idToken: "t",
            refreshToken: "r",
            expirationDate: Date(timeIntervalSince1970: 4_000_000_000)
        )
        let profile = UserProfile(uid: "a\nSHAREDAUTH_WATCH_STATE=x\u{1b}[2J\u{202e}b\u{2028}é")
        let account = Account(profile: profile, tokens: tokens, project: tool.project, issuer: "com.example.issuer")
        let record = try UserRecord().signingIn(account).encoded()
        let key = RecordKey(scope: .app(tool.appID), project: tool.project, instance: "default", kind: "user")
        try tool.keyring.makeStore().update(key, by: .after(.seconds(20))) { _ in .write(record) }

        let watch = try watch(#"env | grep SHAREDAUTH_WATCH | sort; echo end"#)
        var lines: [String] = []
        while lines.last != "end" { lines.append(try watch.line()) }
        #expect(
            lines == [
                "SHAREDAUTH_WATCH_EVENT=auth-state", "SHAREDAUTH_WATCH_GROUP=", "SHAREDAUTH_WATCH_STATE=signed-in",
                #"SHAREDAUTH_WATCH_UID=a\u{a}SHAREDAUTH_WATCH_STATE=x\u{1b}[2J\u{202e}b\u{2028}é"#, "end",
            ]
        )
    }

    @Test("An empty command exits with status 64")
    func emptyCommand() throws {
        #expect(try tool("watch", "--exec", "").status == 64)
        #expect(try tool("watch", "--exec").status == 64)
    }
}

/// A named pipe. A command that reads a line from it continues when the test writes one.
private final class Gate {
    private let path: String
    // Open for reading and writing until the test ends, so that no reader finds the end, and no line is lost between
    // two readers.
    private let file: Int32

    init(at path: String) throws {
        self.path = path
        try #require(unsafe mkfifo(path, 0o600) == 0)
        file = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
    }

    deinit { close(file) }

    /// The shell command that waits for the gate.
    var pass: String { "read -r line <\(path)" }

    /// Lets one command continue.
    func open() throws {
        let line = Array("go\n".utf8)
        try #require(unsafe write(file, line, line.count) == line.count)
    }
}
