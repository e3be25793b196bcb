import EncryptedFiles
import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

struct RunTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    private func run(_ options: [String] = [], _ command: String...) throws -> ProcessResult {
        let program = try BuiltProducts.executable("sharedauth")
        return try tool.keyring.run(program, ["run"] + tool.identity + options + ["--"] + command)
    }

    @Test("The command receives the token, its expiry, and the rest of the environment")
    func variables() throws {
        _ = try tool("sign-in", "--anonymous")
        let json = try tool("token", "--json").json
        let token = try #require(json["token"]?.string)
        let expiry = try #require(json["expiry"]?.number.flatMap(Int.init(exactly:)))
        let usual = try run([], "sh", "-c", #"echo "$SHAREDAUTH_ID_TOKEN $SHAREDAUTH_ID_TOKEN_EXPIRY $LANG""#)
        #expect(usual.status == 0)
        #expect(usual.standardOutput == "\(token) \(expiry) C.UTF-8\n")
        #expect(usual.standardError.isEmpty)
        let named = try run(["--env", "API_TOKEN"], "sh", "-c", #"echo "$API_TOKEN $API_TOKEN_EXPIRY"; env"#)
        #expect(named.standardOutput.hasPrefix("\(token) \(expiry)\n"))
        #expect(!named.standardOutput.contains("SHAREDAUTH_ID_TOKEN"))
    }

    @Test("Without a user, the command is not run, and the status is 67")
    func nobody() throws {
        let result = try run([], "echo", "not this")
        #expect(result.status == 67)
        #expect(result.standardOutput.isEmpty)
        #expect(
            result.standardError == "sharedauth: No user is signed in to the app's own slot. Sign in first.\n"
        )
    }

    @Test("The status is the command's, and 126 and 127 are those of env")
    func statuses() throws {
        _ = try tool("sign-in", "--anonymous")
        #expect(try run([], "sh", "-c", "exit 7").status == 7)
        #expect(try run([], "sh", "-c", "kill -9 $$").status == 137)
        for (command, status, reason) in [
            ("nonexistent-command", 127 as Int32, "No such file or directory"),
            ("/nonexistent/command", 127, "No such file or directory"), ("", 127, "No such file or directory"),
            ("/etc/passwd", 126, "Permission denied"), ("/etc", 126, "Permission denied"),
        ] {
            let result = try run([], command)
            #expect(result.status == status)
            #expect(try tool.keyring.run("/usr/bin/env", [command]).status == status || command.isEmpty)
            #expect(result.standardOutput.isEmpty)
            #expect(result.standardError == "sharedauth: \(command) could not be started: \(reason).\n")
        }
    }

    @Test("A call without a command, or with a malformed name, exits with status 64")
    func usage() throws {
        #expect(try tool("run").status == 64)
        #expect(try tool.bare(["run"] + tool.identity + ["--"]).status == 64)
        #expect(try tool("run", "ls").status == 64)
        for name in ["", "1A", "A-B", "A=B", "Ä", "A B"] {
            let result = try run(["--env", name], "true")
            #expect(result.status == 64, "\(name)")
            #expect(result.standardOutput.isEmpty)
        }
    }

    @Test("Arguments after -- are the command's; options for all verbs precede it")
    func arguments() throws {
        _ = try tool("sign-in", "--anonymous")
        let result = try run([], "printf", "<%s>", "--json", "", "a b", "--", "--help")
        #expect(result.standardOutput == "<--json><><a b><--><--help>")
    }

    @Test("The command is the tool's process, with unchanged open files and signals")
    func unchangedProcess() throws {
        _ = try tool("sign-in", "--anonymous")
        let program = try BuiltProducts.executable("sharedauth")
        let become = [program, "run"] + tool.identity + ["--"]
        let prepare = #"""
            use POSIX; my $how = shift; $SIG{INT} = $SIG{PIPE} = "IGNORE" if $how eq "ignored";
            sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM, SIGUSR1)) if $how eq "blocked";
            # Close the files that other tests had open when this process was started.
            POSIX::close($_) for 3 .. 4095;
            print "I am $$\n"; $| = 1; print ""; exec @ARGV;
            """#
        for how in ["plain", "ignored", "blocked"] {
            let outputs = try [[], become].map { between in
                let words = ["-e", prepare, how] + between + ["perl", "-e", InheritedState.script]
                let result = try tool.keyring.run("perl", words)
                #expect(result.status == 0, "\(result.standardError)")
                let number = try #require(result.standardOutput.firstMatch(of: #/I am (\d+)\n/#)?.output.1)
                return result.standardOutput.replacing(number, with: "PID")
            }
            #expect(outputs[0] == outputs[1], "\(how)")
            #expect(outputs[0].contains("Pid:\tPID\n"), "\(outputs[0])")
        }
    }

    @Test("Standard input after the passphrase is passed to the command")
    func standardInput() throws {
        let directory = "\(tool.keyring.directory)/run-\(tool.project)"
        let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "k")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // Create a store with a low cost, which its header records.
        try EncryptedFileRecordStore(
            directory: "\(directory)/store",
            key: .passphrase(Secret("open sesame"), cost: 10),
            steps: .none
        )
        .update(key, by: .after(.seconds(10))) { _ in .write([1]) }
        let store = ["--store", "file", "--store-directory", "\(directory)/store", "--passphrase-stdin"]
        let program = try BuiltProducts.executable("sharedauth")
        let signIn = ["sign-in", "--anonymous"] + store + tool.identity
        #expect(try tool.keyring.run(program, signIn, input: "open sesame\n").status == 0)
        let words = ["run"] + store + tool.identity + ["--", "cat"]
        // A pipe cannot be read back.
        let script = #"printf 'open sesame\nfor the\ncommand' | "$@""#
        let result = try tool.keyring.run("/bin/sh", ["-c", script, "sh", program] + words)
        #expect(result.status == 0)
        #expect(result.standardOutput == "for the\ncommand")
    }

    @Test("Help says which processes can read the token")
    func help() throws {
        let help = try tool.bare(["run", "--help"])
        #expect(help.status == 0)
        #expect(help.standardOutput.contains("/proc"))
    }
}
