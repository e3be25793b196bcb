import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the findings of `doctor` about the files that store the group choice.
struct StateFileTests {
    private let tool: Shell
    private let state: String

    init() throws {
        tool = try Shell()
        state = "\(tool.keyring.directory)/state-\(tool.project)"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        unsafe chmod(state, 0o700)
    }

    private func run(_ arguments: String...) throws -> ProcessResult {
        try tool.bare(arguments + tool.identity, environment: ["XDG_STATE_HOME=\(state)"])
    }

    private func doctor() throws -> Diagnosis { try Diagnosis(run("doctor", "--json")) }

    @Test("Doctor fails on a damaged group choice and names the file")
    func damagedChoice() throws {
        #expect(try run("use-group", Shell.group).status == 0)
        #expect(try doctor()["choice"]?.message.contains(Shell.group) == true)
        let file = "\(state)/sharedauth/\(tool.appID)/\(tool.project)/default.json"
        try Data("{\"version\":".utf8).write(to: URL(filePath: file))
        let bad = try doctor()
        #expect(bad.status == 70)
        #expect(bad.verdicts["choice"] == "bad")
        #expect(bad["choice"]?.message.contains(file) == true)
        #expect(bad.verdicts["probe"] == "good")
    }

    @Test("Doctor fails on a group choice that the app does not declare")
    func undeclaredChoice() throws {
        #expect(try run("use-group", Shell.group).status == 0)
        let bad = try Diagnosis(run("doctor", "--json", "--declare", "group.com.example.other"))
        #expect(bad.status == 77)
        #expect(bad["choice"]?.message.contains(Shell.group) == true)
        #expect(bad["choice"]?.remedy?.contains("Declare") == true)
    }

    @Test("Doctor finds a directory writable by others through a link")
    func writableByOthers() throws {
        #expect(try run("use-group", Shell.group).status == 0)
        let link = "\(state)/sharedauth"
        let target = "\(state)/elsewhere"
        try FileManager.default.moveItem(atPath: link, toPath: target)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(try doctor().verdicts["files"] == "good")
        unsafe chmod(target, 0o777)
        let warned = try doctor()
        #expect(warned.verdicts["files"] == "warning")
        #expect(warned["files"]?.message.contains("choose") == true)
        #expect(warned["files"]?.remedy?.contains(target) == true)
        // A writable parent directory is reported, too.
        unsafe chmod(target, 0o700)
        unsafe chmod(state, 0o777)
        #expect(try doctor()["files"]?.remedy == "Run chmod o-w \(state)")
        unsafe chmod(state, 0o1777)
        #expect(try doctor().verdicts["files"] == "good")
    }

    @Test("Doctor reports a link inside the directory and does not follow it")
    func linkInside() throws {
        #expect(try run("use-group", Shell.group).status == 0)
        let link = "\(state)/sharedauth/\(tool.appID)"
        let target = "\(state)/elsewhere"
        try FileManager.default.moveItem(atPath: link, toPath: target)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        unsafe chmod(target, 0o777)
        let finding = try doctor()["files"]
        #expect(finding?.message.contains("links") == true && finding?.remedy?.contains("elsewhere") == false)
    }

    @Test("Doctor ends on circular links")
    func linksInACircle() throws {
        #expect(try run("use-group", Shell.group).status == 0)
        let root = "\(state)/sharedauth"
        try FileManager.default.createSymbolicLink(atPath: "\(root)/again", withDestinationPath: root)
        try FileManager.default.createSymbolicLink(atPath: "\(root)/nowhere", withDestinationPath: "\(root)/nothing")
        #expect(try doctor().verdicts["files"] == "warning")
    }
}
