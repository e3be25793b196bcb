internal import FoundationEssentials
internal import Glibc

/// What each thread of a process does.
package enum Stacks {
    /// Returns the stacks of all threads of a process, this one included, as gdb prints them; or the reason why it
    /// cannot.
    package static func of(_ processID: Int32) -> String {
        let file = TestDirectory.newPath()
        defer { for end in ["in", "out", "err"] { try? FileManager.default.removeItem(atPath: "\(file).\(end)") } }
        let command = [
            "gdb", "--batch", "--nx", "-ex", "set debuginfod enabled off", "-ex", "thread apply all backtrace", "-p",
            "\(processID)",
        ]
        do {
            let result = try ProcessResult(of: command, environment: ["PATH": "/usr/bin:/bin"], files: file)
            let lines = result.standardOutput.split(separator: "\n").filter {
                $0.hasPrefix("Thread ") || $0.hasPrefix("#")
            }
            return lines.isEmpty ? "No stacks: \(result.standardError)" : lines.joined(separator: "\n")
        } catch {
            return "No stacks: \(error)"
        }
    }

    /// Prints the stacks to standard error, below a line that says what hangs, and returns what it printed.
    @discardableResult
    package static func report(_ processID: Int32, _ what: String) -> String {
        let report = "\(what):\n\(of(processID))\n"
        try? Files.write(Array(report.utf8), to: STDERR_FILENO)
        return report
    }
}
