import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests which directories are searched for apps' choices.
struct StateDirectoriesTests {
    private let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    private var directories: StateDirectories {
        StateDirectories(own: "\(place.root)/own", home: "\(place.root)/home", given: ["\(place.root)/given"])
    }

    private func paths(_ appID: String) -> [String] {
        directories.journals(of: appID, "p", "default").compactMap { $0.path?.dropFirst(place.root.count + 1) }
            .map(String.init)
    }

    private func choose(_ appID: String, in directory: String) throws {
        let journal = Journal(in: Folder("\(place.root)/\(directory)"), appID: appID, project: "p", instance: "default")
        try journal.change(by: .patient) { $0.slot = .group("group.example.a") }
    }

    @Test("An app without a file gets one in the user's directory and in the given ones")
    func nowhere() {
        #expect(paths("a.b") == ["own/a.b/p/default.json", "given/a.b/p/default.json"])
        #expect(directories.appIDs("p", "default").isEmpty)
    }

    @Test("An app is found wherever it has files, and another project's files do not count")
    func found() throws {
        try choose("a.b", in: "given")
        #expect(paths("a.b") == ["given/a.b/p/default.json"])
        try choose("a.b", in: "own")
        #expect(paths("a.b") == ["own/a.b/p/default.json", "given/a.b/p/default.json"])
        #expect(directories.appIDs("p", "default") == ["a.b"])
        #expect(directories.appIDs("other", "default").isEmpty)
    }

    @Test("A sandboxed app is found in its sandbox's home, even before it stores anything")
    func sandboxes() throws {
        let homes = ["home/.var/app/a.b", "home/snap/c/current"]
        for home in homes {
            try FileManager.default.createDirectory(
                atPath: "\(place.root)/\(home)",
                withIntermediateDirectories: true
            )
        }
        #expect(paths("a.b") == ["home/.var/app/a.b/.local/state/sharedauth/a.b/p/default.json"])
        #expect(paths("c") == ["home/snap/c/current/.local/state/sharedauth/c/p/default.json"])
        try choose("a.b", in: "own")
        #expect(paths("a.b").count == 2)
        try choose("d", in: "home/snap/c/current/.local/state/sharedauth")
        #expect(directories.appIDs("p", "default") == ["a.b", "d"])
    }

    @Test("A Flatpak's home counts for its own app only, unless the directory is given")
    func otherAppInFlatpak() throws {
        let state = "home/.var/app/a.b/.local/state/sharedauth"
        for app in ["a.b", "d"] { try choose(app, in: state) }
        #expect(directories.appIDs("p", "default") == ["a.b"])
        #expect(paths("d") == ["own/d/p/default.json", "given/d/p/default.json"])
        let asked = StateDirectories(
            own: "\(place.root)/own",
            home: "\(place.root)/home",
            given: ["\(place.root)/\(state)/"]
        )
        #expect(asked.appIDs("p", "default") == ["a.b", "d"])
        for app in ["a.b", "d"] {
            // Lists each file once, although the directory is given and also belongs to a sandbox.
            #expect(
                asked.journals(of: app, "p", "default").map(\.path)
                    == ["\(place.root)/\(state)/\(app)/p/default.json"]
            )
        }
    }
}
