import TestSupport
import Testing

/// Tests starts of the tool with too few system resources.
struct StartConditionTests {
    /// Runs `status` under limits that a shell sets first.
    private func status(after limits: String, in tool: Shell) throws -> ProcessResult {
        // Close the descriptors that the tool would inherit from the test runner.
        let script = #"for f in {3..255}; do eval "exec $f>&-"; done; ulimit -c 0; \#(limits); exec "$@""#
        let program = try BuiltProducts.executable("sharedauth")
        // A call that hangs is killed, which yields another status.
        let arguments = ["-k", "1", "60", "/bin/bash", "-c", script, "bash", program, "status"] + tool.identity
        return try tool.keyring.run("timeout", arguments)
    }

    @Test("With too few file descriptors, the call fails at its start with status 71", arguments: [5, 8, 10])
    func files(limit: Int) throws {
        let tool = try Shell()
        let result = try status(after: "ulimit -n \(limit)", in: tool)
        #expect(result.status == 71, "\(result.standardError)")
        #expect(result.hasOneLineOfComplaint)
        #expect(result.standardError.contains("files can be opened here"))
        #expect(result.standardError.contains("ulimit -n"))
        #expect(result.standardOutput.isEmpty)
    }

    @Test("With enough file descriptors, the call succeeds")
    func enoughFiles() throws {
        let result = try status(after: "ulimit -n 20", in: try Shell())
        #expect(result.status == 0, "\(result.standardError)")
    }

    @Test("Under any memory limit, the tool works or fails at its start, without a hang")
    func memory() throws {
        let tool = try Shell()
        _ = try tool.signIn()
        var statuses: [Int32] = []
        // Below 65 MiB, not even the libraries are loaded.
        for limit in stride(from: 65, through: 245, by: 10) {
            let result = try status(after: "ulimit -v \(limit * 1024)", in: tool)
            statuses.append(result.status)
            if result.status == 71 {
                #expect(result.hasOneLineOfComplaint)
                #expect(result.standardError.contains("MiB of address space are left here"))
            } else {
                #expect(result.status == 0, "\(limit) MiB: \(result.standardError)")
            }
        }
        #expect(statuses.first == 71 && statuses.last == 0)
        // Once the limit is high enough, each higher limit works, too.
        #expect(statuses == statuses.sorted(by: >))
    }

    @Test("Under any limit of processes, the tool works or fails at its start, with no hang", .timeLimit(.minutes(5)))
    func threads() throws {
        let user = try OrdinaryUser()
        if let obstacle = try user.obstacle(to: .plain) {
            print("Not tested: \(obstacle).")
            return
        }
        try user.startDaemon(.plain, unlocked: true)
        let call = [try BuiltProducts.executable("sharedauth"), "status", "--app-id", "com.example.Mail"]
        var statuses: [Int32] = []
        // The user's bus and daemon count, and perhaps those of other tests.
        for limit in [1, 2, 3, 5, 7, 9, 11, 13, 15, 20, 4096] {
            let result = try user.run(["timeout", "-k", "1", "60", "prlimit", "--core=0", "--nproc=\(limit)"] + call)
            statuses.append(result.status)
            if result.status == 71 {
                #expect(result.hasOneLineOfComplaint)
                #expect(result.standardError.contains("more threads can be started here"))
                #expect(result.standardError.contains("limit of the user's processes is \(limit)"))
            } else {
                #expect(result.status == 0, "\(limit): \(result.standardError)")
            }
        }
        #expect(statuses.first == 71 && statuses.last == 0)
    }

    @Test("A preloaded library that changes the environment takes no argument away")
    func preloaded() throws {
        let tool = try Shell()
        let uid = try tool.signIn()
        let library = "\(tool.keyring.directory)/early-\(tool.project).so"
        // The compiler belongs to Swift's toolchain.
        let compiler = try #require(Programs.path(of: "clang"))
        let source = """
            extern int setenv(const char *, const char *, int);
            __attribute__((constructor)) static void change(void) { setenv("EARLY", "1", 1); }
            """
        let flags = ["-shared", "-fPIC", "-fuse-ld=lld", "-x", "c", "-o", library, "-"]
        let compiled = try tool.keyring.run(compiler, flags, input: source)
        #expect(compiled.status == 0, "\(compiled.standardError)")
        let environment = ["LD_PRELOAD=\(library)"]
        let result = try tool.bare(["status", "--json"] + tool.identity, environment: environment)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(try result.uid == uid)
        #expect(try tool.bare(["status", "--no-such-option"], environment: environment).status == 64)
        // Without an id, the app is called like its program.
        let call = ["sign-in", "--anonymous", "--json", "--project", tool.project]
        let anonymous = try tool.bare(call, environment: environment).uid
        #expect(try tool.app("sharedauth")("status", "--json").uid == anonymous)
    }

    @Test("A tool that cannot read its arguments fails, and does not run without them")
    func withoutArguments() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let inside = ["--dev-bind", "/", "/", "--tmpfs", "/proc", "--", program, "status"] + tool.identity
        let result = try tool.keyring.run("bwrap", inside)
        #expect(result.status == 71, "\(result.standardError)")
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.contains("/proc/self/cmdline"))
    }
}
