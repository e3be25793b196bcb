import TestSupport
import Testing

/// Two processes that live beside one that is killed: another one of the same app, which shows the user `x` of the
/// source; and one of another app, in the target's group, or in the source's if the target is no group.
struct CrashWitnesses {
    static let peerID = "com.example.Witness"

    private let crash: CrashCase
    private let sibling: PeerProcess
    private let peer: PeerProcess

    init(_ crash: CrashCase, _ world: AppFixture) async throws {
        self.crash = crash
        try world.choose(crash.to ?? crash.from, appID: Self.peerID)
        // A process that brings its user along has left the own slot, and so has every process there.
        sibling = try await PeerProcess.started(world, appID: CrashCase.appID, observes: true)
        peer = try await PeerProcess.started(world, appID: Self.peerID, observes: true)
        for witness in [sibling, peer] { try await witness.obey("listen") }
    }

    /// Expects that the witnesses have heard of each change once, and of no sign-out that did not happen.
    func expectEnd(_ place: Comment) async throws {
        // An operation on the user follows the user.
        let shown = try? await sibling.obey("rename Ada")
        switch crash.act {
        case .migrate, .move:
            #expect(shown?.group == crash.to && shown?.uid == "x", place)
            try await expect(["x"], from: sibling, place)
            if crash.to == nil {
                // A tool moves every app of the group.
                try await expect(crash.act == .move ? ["x"] : ["x", nil], from: peer, place)
            } else {
                try await expect(["y", "x"], from: peer, place)
            }
        case .join where crash.leavesUser:
            try await expect(["x", nil], from: sibling, place)
            try await expect(["y"], from: peer, place)
        case .join:
            #expect(shown?.group == crash.from && shown?.uid == "x", place)
            try await expect(["x"], from: sibling, place)
            try await expect([crash.to == nil ? "x" : "y"], from: peer, place)
        case .arrival:
            try await expect(["y", "x"], from: sibling, place)
            try await expect(["y", "x"], from: peer, place)
        }
    }

    /// Waits for the last announcement, and expects these and no other.
    private func expect(_ uids: [String?], from witness: PeerProcess, _ place: Comment) async throws {
        var heard: [String?] = []
        repeat {
            heard.append(try await witness.inbox.first("an announcement") { $0.event == "state" }.uid)
        } while heard.count < uids.count
        try await witness.obey("current")
        heard += witness.inbox.events(["state"]).map(\.uid)
        #expect(heard == uids, place)
    }
}
