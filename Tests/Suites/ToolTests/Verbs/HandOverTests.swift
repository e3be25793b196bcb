import FoundationEssentials
import SharedAuth
import TestSupport
import Testing

struct HandOverTests {
    private let tool: Shell
    /// This test's folder, on `PATH` in addition to the system's folders.
    private let folder: URL

    init() throws {
        tool = try Shell()
        folder = URL(filePath: "\(tool.keyring.directory)/hand-over-\(tool.project)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var built: URL { get throws { URL(filePath: try BuiltProducts.executable("sharedauth")) } }

    private func run(_ program: URL, _ arguments: [String], path: String = "") throws -> ProcessResult {
        let environment = ["PATH=\(path):/usr/bin:/bin", "FAMILIAR=yes"]
        return try tool.keyring.run("/usr/bin/env", environment + [program.path] + arguments)
    }

    /// Creates a program that can be run. Another process writes it: a child that this process starts meanwhile would
    /// hold the file open, and a file that is open for writing cannot be run.
    private func install(_ content: String = "", contentsOf source: String = "/dev/stdin", as program: URL) throws {
        let result = try tool.keyring.run("/usr/bin/install", ["-m", "755", source, program.path], input: content)
        try #require(result.status == 0)
    }

    @Test("The program next to the tool is started, even if the tool is called by a link")
    func linkedProgram() throws {
        let link = folder.appending(path: "sharedauth")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: built)
        let result = try run(link, ["fleet", "--version"])
        #expect(result.status == 0)
        #expect(result.standardOutput == "0.1.0\n")
    }

    @Test("The first program on PATH is run with the same arguments, environment and status")
    func programOnPath() throws {
        let copy = folder.appending(path: "sharedauth")
        try install(contentsOf: built.path, as: copy)
        let alone = try run(copy, ["fleet", "status"])
        #expect(alone.status == 69)
        #expect(alone.hasOneLineOfComplaint)
        #expect(alone.standardError.contains("sharedauth-fleet"))

        let other = folder.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let script = other.appending(path: "sharedauth-fleet")
        try install("#!/bin/sh\nprintf '<%s>' \"$FAMILIAR\" \"$@\"\nexit 7\n", as: script)
        let result = try run(copy, ["--json", "fleet", "status", "", "a b", "--", "--help"], path: other.path)
        #expect(result.status == 7)
        #expect(result.standardOutput == "<yes><--json><status><><a b><--><--help>")
    }
}
