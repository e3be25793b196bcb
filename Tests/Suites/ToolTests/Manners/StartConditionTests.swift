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
