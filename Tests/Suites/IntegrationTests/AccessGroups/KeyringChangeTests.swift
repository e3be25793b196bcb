import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests an app whose keyring daemon has been replaced by another program.
struct DaemonChangeTests {
    static let group = "group.example.change"

    @Test("A user stored by another daemon is not signed out and returns with that daemon")
    func changed() async throws {
        let (keyring, world) = try await Self.signedIn()
        let other = try Self.startOther(in: keyring)
        let app = try TestApp(world)
        let state = await app.auth.ready()
        guard case .unavailable(let error) = state else { throw Unexpected(state: state) }
        #expect(error.code == .keyringChanged)
        // The message has the names that users see, which is also what they can start.
        #expect(error.message.contains("kept by GNOME Keyring, but the keyring daemon is now TestDaemon"))
        #expect(error.message.contains("Start GNOME Keyring,"))
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == Self.group)
        #expect(try await app.auth.storeStatus().formerDaemons == ["gnome-keyring-daemon"])
        expectFailure(.keyringChanged) { try app.auth.useUserAccessGroup(Self.group) }
        expectFailure(.keyringChanged) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
        #expect(app.announcements().isEmpty)

        other.end()
        try keyring.startDaemon(unlocked: true)
        let next = try TestApp(world)
        #expect(next.auth.currentUser?.uid == "x")
        #expect(try await next.auth.storeStatus().formerDaemons.isEmpty)
        keyring.shutdown()
    }

    @Test("Signing in or out settles a daemon change for both daemons", arguments: [true, false])
    func settled(bySigningIn: Bool) async throws {
        let (keyring, world) = try await Self.signedIn()
        let other = try Self.startOther(in: keyring)
        let app = try TestApp(world)
        _ = await app.auth.ready()
        if bySigningIn { try await app.signIn("y") } else { try app.auth.signOut() }
        #expect(app.auth.currentUser?.uid == (bySigningIn ? "y" : nil))
        if bySigningIn { try app.auth.signOut() }
        guard case .signedOut = app.auth.state else { throw Unexpected(state: app.auth.state) }
        let next = try TestApp(world)
        let state = await next.auth.ready()
        guard case .signedOut = state else { throw Unexpected(state: state) }
        other.end()
        keyring.shutdown()
    }

    @Test(
        "The same daemon with other data has replaced the keyring, not signed out",
        arguments: ["gnome-keyring-daemon", "other-keyring", ".gnome-keyring-daemon-wrapped"]
    )
    func sameDaemon(program: String) async throws {
        let (keyring, world) = try await Self.signedIn()
        let other = try Self.start(program, in: keyring)
        let app = try TestApp(world)
        let state = await app.auth.ready()
        guard case .unavailable(let error) = state else { throw Unexpected(state: state) }
        #expect(error.code == .keyringChanged && error.message.contains("held the user is gone"))
        #expect(try await app.auth.storeStatus().daemon == "gnome-keyring-daemon")
        #expect(try await app.auth.storeStatus().formerDaemons.isEmpty)
        other.end()
        keyring.shutdown()
    }

    @Test(
        "Notes of earlier versions name the daemon's kind; other programs are dropped",
        arguments: [
            "gnome-keyring-daemon", "gnome-keyring-d", "gnome-keyring-daemon (deleted)",
            ".gnome-keyring-daemon-wrapped",
            "sleep",
        ]
    )
    func earlierNotes(program: String) async throws {
        let world = try AppFixture()
        try write(#"{"version":1,"providers":{"":["\#(program)"]}}"#, asNotesIn: world)
        let state = try await TestApp(world).auth.ready()
        guard case .signedOut = state else { throw Unexpected(state: state) }
    }

    @Test("A running app keeps its user when the daemon changes, then adopts the new user")
    func running() async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        let app = try TestApp(world, observesOtherProcesses: true)
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("x")
        _ = app.heard(until: { $0.contains { $0.uid == "x" } })
        try keyring.killDaemon()
        let other = try Self.startOther(in: keyring)
        // Whatever signals have arrived by then, the app does not treat the empty slot as a sign-out.
        _ = app.auth.engine.rereadSlot()
        #expect(app.auth.currentUser?.uid == "x")
        try await world.put("y", into: Self.group)
        let heard = app.heard { $0.contains { $0.uid == "y" } }
        #expect(heard.allSatisfy { $0.uid == "y" || $0.uid == "x" })
        #expect(app.auth.currentUser?.uid == "y")
        // Now the new daemon also has a user, so a sign-out there counts.
        try world.peer(Self.group).auth.signOut()
        #expect(app.heard { $0.contains { $0.uid == nil } }.contains { $0.uid == nil })
        other.end()
        keyring.shutdown()
    }

    @Test("A sign-out by another app counts, and the daemon's note is removed")
    func signedOutByPeer() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", in: Self.group, world)
        #expect(try app.auth.engine.journal.keepers(of: .group(Self.group)) == [.gnomeKeyring])
        try world.peer(Self.group).auth.signOut()
        let next = try TestApp(world)
        let state = await next.auth.ready()
        guard case .signedOut = state else { throw Unexpected(state: state) }
        #expect(try next.auth.engine.journal.keepers(of: .group(Self.group)).isEmpty)
    }

    @Test("Notes that are damaged or of a newer version are ignored")
    func damagedNotes() async throws {
        for text in ["", "{", #"{"version":2,"providers":{"":["p"]}}"#, #"{"version":1,"providers":[]}"#] {
            let world = try AppFixture()
            try write(text, asNotesIn: world)
            let app = try TestApp(world)
            let state = await app.auth.ready()
            guard case .signedOut = state else { throw Unexpected(state: state) }
            try await app.signIn("x")
            #expect(try app.auth.engine.journal.keepers(of: .own) == [.gnomeKeyring])
            try app.auth.signOut()
            #expect(try app.auth.engine.journal.keepers(of: .own).isEmpty)
        }
    }

    private struct Unexpected: Error {
        let state: AuthState
    }

    /// Writes the file that notes which daemons store the app's users.
    private func write(_ text: String, asNotesIn world: AppFixture) throws {
        let path = try #require(world.journal("com.example.Mail").path).dropLast(".json".count) + ".providers"
        try FileManager.default.createDirectory(
            at: URL(filePath: String(path)).deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(filePath: String(path)))
    }

    /// Returns a keyring whose daemon has ended, with a user stored in an access group.
    private static func signedIn() async throws -> (PrivateKeyring, AppFixture) {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        _ = try await TestApp.signedIn("x", in: group, world)
        try keyring.killDaemon()
        return (keyring, world)
    }

    /// Starts an unlocked copy of GNOME Keyring, under its own or another name, with its own data.
    static func start(_ name: String, in keyring: PrivateKeyring) throws -> ChildProcess {
        let path = "\(keyring.directory)/\(name)"
        // A child process makes the copy: a file that this process has open for writing cannot be executed.
        #expect(try keyring.run("cp", ["/usr/bin/gnome-keyring-daemon", path]).status == 0)
        let data = "\(keyring.directory)/data-\(name)"
        let password = Pipe()
        try password.fileHandleForWriting.write(contentsOf: Data("another password".utf8))
        try password.fileHandleForWriting.close()
        let process = try keyring.start(
            "/usr/bin/env",
            ["XDG_DATA_HOME=\(data)", path, "--foreground", "--components=secrets", "--unlock"],
            input: password.fileHandleForReading.fileDescriptor
        )
        let service = keyring.makeService(waitsForDaemon: true)
        // The daemon has acquired its bus name; wait for its default collection.
        _ = try service.defaultCollection()
        return process
    }

    /// Starts an unlocked keyring daemon of an unknown kind.
    static func startOther(in keyring: PrivateKeyring) throws -> ChildProcess {
        let process = try keyring.start(try BuiltProducts.executable("TestDaemon"), ["scripted-daemon"])
        _ = try keyring.makeService(waitsForDaemon: true).defaultCollection()
        return process
    }
}
