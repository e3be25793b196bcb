import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Sandboxed apps that put symbolic links into their home so that other programs write outside of the sandbox.
struct SandboxHomeTests {
    static let app = "a.b"
    /// The directories below the home, and the files, that the app can replace with a link.
    static let directories =
        [".local", ".local/state", ".local/state/sharedauth"].map { $0 }
        + [".local/state/sharedauth/a.b", ".local/state/sharedauth/a.b/p"]
    static let files = ["default.lock", "default.json", "default.steps", "default.providers", "default.machine"]

    private let place: FilePlace

    init() throws {
        place = try FilePlace()
        for directory in [home, outside] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
    }

    private var home: String { "\(place.root)/home/.var/app/\(Self.app)" }
    private var outside: String { "\(place.root)/outside" }

    private func journal(given: [String] = []) throws -> Journal {
        let directories = StateDirectories(own: "\(place.root)/own", home: "\(place.root)/home", given: given)
        return try #require(directories.journals(of: Self.app, "p", "default").first)
    }

    private func link(_ name: String, to target: String) throws {
        let path = URL(filePath: "\(home)/\(name)")
        try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(unsafe symlink(target, path.path) == 0)
    }

    /// Returns the paths of everything outside of the sandbox.
    private func whatIsOutside() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: outside)
    }

    private func writeAll(_ journal: Journal) throws(AuthError) {
        journal.noteKeeper(.other("keeper"), of: .own, by: .patient)
        try journal.noteBegun([.migration(of: "x", to: .own)], by: .patient)
        try journal.change(by: .patient, replacingDamaged: true) { $0.slot = .group("group.example.a") }
    }

    @Test(
        "A link in a directory's place is an error that says so, and nothing is written",
        arguments: directories
    )
    func directory(name: String) throws {
        try link(name, to: outside)
        // Makes the target look like the app's own directory.
        let rest = ".local/state/sharedauth/a.b/p".dropFirst(name.count)
        try FileManager.default.createDirectory(atPath: outside + rest, withIntermediateDirectories: true)
        let before = try whatIsOutside()
        for journal in [try journal(), try journal(given: ["\(home)/.local/state/sharedauth"])] {
            let error = try #require(expectFailure(.stateDirectoryUnusable) { try writeAll(journal) })
            #expect(error.text.contains("symbolic link"), "\(error)")
            #expect(try whatIsOutside() == before)
        }
        #expect(
            expectFailure(.stateDirectoryUnusable) { _ = try journal().read() }?.text.contains("symbolic link") == true
        )
    }

    @Test(
        "A link in a file's place is not followed: its target is neither read nor written",
        arguments: files,
        [false, true]
    )
    func file(name: String, isThere: Bool) throws {
        let victim = "\(outside)/victim"
        let planted = GroupChoice(slot: .group("group.example.planted"))
        let text = isThere ? Array(try JSONEncoder().encode(planted)) : []
        if isThere { try place.put(text, at: victim) }
        try link(".local/state/sharedauth/a.b/p/\(name)", to: victim)
        if name == "default.json" { expectFailure(.stateDirectoryUnusable) { _ = try journal().read() } }
        try? writeAll(journal())
        #expect(FileManager.default.fileExists(atPath: victim) == isThere)
        if isThere { #expect(try place.bytes(victim) == text) }
        #expect(try journal().read() != planted)
    }

    @Test("A home that the user has moved elsewhere and linked is used")
    func movedHome() throws {
        try FileManager.default.moveItem(atPath: home, toPath: "\(outside)/moved")
        #expect(unsafe symlink("\(outside)/moved", home) == 0)
        try writeAll(journal())
        #expect(try journal().read().slot == .group("group.example.a"))
        let path = "\(outside)/moved/.local/state/sharedauth/a.b/p/default.json"
        #expect(FileManager.default.fileExists(atPath: path))
        var status = stat()
        #expect(unsafe stat((path as NSString).deletingLastPathComponent, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }
}
