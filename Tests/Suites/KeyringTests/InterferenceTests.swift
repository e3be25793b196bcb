import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests changes that others make to a keyring while apps use it, on GNOME Keyring.
@Suite(.serialized)
struct InterferenceTests {
    /// The ways in which a collection is lost.
    enum Loss: String, CaseIterable, CustomTestStringConvertible {
        case deletedByCall = "deleted by a call"
        case fileRemoved = "its file removed"

        var testDescription: String { rawValue }
    }

    @Test(
        "A default collection lost in use is unavailable, not signed out; a new one works",
        arguments: Loss.allCases
    )
    func defaultCollectionDeleted(
        _ loss: Loss
    ) async throws {
        let bench = Bench(try PrivateKeyring())
        defer { bench.keyring.shutdown() }
        let (mail, calendar) = try await apps(on: bench)
        switch loss {
        case .deletedByCall: try bench.keyring.deleteCollection("login")
        case .fileRemoved: try bench.keyring.removeFile("login")
        }
        for app in [mail, calendar] {
            do throws(AuthError) {
                _ = try app.auth.getStoredUser(forAccessGroup: Bench.group)
                Issue.record("the keyring was available")
            } catch {
                #expect(error.code == .keyringUnavailable, "\(error)")
            }
            #expect(app.auth.currentUser?.uid == "x")
        }
        try bench.keyring.terminateDaemon()
        try bench.keyring.startDaemon(unlocked: true)
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
    }

    @Test("Deleting a second collection signs nobody out; the next user is in the default")
    func secondCollectionDeleted()
        async throws
    {
        let bench = Bench(try PrivateKeyring(withOpen: ["second"]))
        defer { bench.keyring.shutdown() }
        try bench.keyring.makeDefault("extra0")
        let (mail, calendar) = try await apps(on: bench)
        try bench.keyring.makeDefault("login")
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
        #expect(try bench.groupItem().path.hasPrefix(PrivateKeyring.collection("extra0")))
        try bench.keyring.deleteCollection("extra0")
        // The user may have moved the collection, and may bring it back.
        _ = calendar.auth.engine.rereadSlot()
        #expect(calendar.auth.currentUser?.uid == "y")
        try await mail.signIn("z")
        #expect(calendar.hearsFirst("z"))
        #expect(try bench.groupItem().path.hasPrefix(PrivateKeyring.collection("login")))
    }

    @Test("A keyring file restored from a backup restores its user, and the next user stays")
    func restoredFile()
        async throws
    {
        let bench = Bench(try PrivateKeyring())
        defer { bench.keyring.shutdown() }
        let (mail, calendar) = try await apps(on: bench)
        let backup = try Data(contentsOf: bench.keyring.file("login"))
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
        try bench.keyring.replaceFile("login", by: backup)
        #expect(try mail.auth.getStoredUser(forAccessGroup: Bench.group)?.uid == "x")
        try await mail.signIn("z")
        #expect(calendar.hears("z"))
        try await expectKept("z", on: bench)
    }

    @Test("A keyring file overwritten with garbage signs no user out; the next user stays")
    func garbledFile()
        async throws
    {
        let bench = Bench(try PrivateKeyring())
        defer { bench.keyring.shutdown() }
        let (mail, calendar) = try await apps(on: bench)
        try bench.keyring.replaceFile("login", by: Data("garbage".utf8))
        #expect(try mail.auth.getStoredUser(forAccessGroup: Bench.group)?.uid == "x")
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
        try await expectKept("y", on: bench)
    }

    @Test(
        "The winner of two daemons racing for the name serves; its end signs no user out",
        arguments: [true, false]
    )
    func racingDaemons(
        _ isScriptedFirst: Bool
    ) async throws {
        let bench = Bench(try PrivateKeyring(state: .noDaemon))
        defer { bench.keyring.shutdown() }
        let scripted = try BuiltProducts.executable("TestDaemon")
        if isScriptedFirst { _ = try bench.keyring.start(scripted, ["scripted-daemon"]) }
        try bench.keyring.startDaemon(unlocked: true)
        if !isScriptedFirst { _ = try bench.keyring.start(scripted, ["scripted-daemon"]) }
        let (mail, calendar) = try await apps(on: bench)
        let gone = Recorder<Bool>()
        let watch = try bench.service.watch { change in
            // The losing daemon may have waited for the name.
            switch change {
            case .daemonVanished, .daemonAppeared: gone.record(true)
            default: break
            }
        }
        kill(try #require(try bench.service.daemon().processID), SIGKILL)
        #expect(gone.take { $0 } != nil)
        watch.cancel()
        for app in [mail, calendar] {
            do throws(AuthError) {
                _ = try app.auth.getStoredUser(forAccessGroup: Bench.group)
                Issue.record("another daemon returned a user")
            } catch {
                #expect([.keyringUnavailable, .keyringChanged].contains(error.code), "\(error)")
            }
            #expect(app.auth.currentUser?.uid == "x")
        }
    }

    @Test("A daemon that takes over the name is used from the next call, and observed")
    func replacedDaemon()
        async throws
    {
        let bench = Bench(try PrivateKeyring())
        defer { bench.keyring.shutdown() }
        let (mail, calendar) = try await apps(on: bench)
        let former = try bench.service.daemon()
        let appeared = Recorder<Bool>()
        let watch = try bench.service.watch { change in
            if case .daemonAppeared = change { appeared.record(true) }
        }
        let password = try SocketPair()
        let words = Array(PrivateKeyring.password.utf8)
        _ = unsafe words.withUnsafeBytes { bytes in unsafe write(password.ours, bytes.baseAddress, bytes.count) }
        close(password.ours)
        let arguments = ["--replace", "--foreground", "--components=secrets", "--unlock"]
        _ = try bench.keyring.start("gnome-keyring-daemon", arguments, input: password.theirs)
        close(password.theirs)
        #expect(appeared.take { $0 } != nil)
        watch.cancel()
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
        #expect(try bench.service.daemon().uniqueName != former.uniqueName)
    }

    /// Returns two apps of a group in which the user `x` is signed in.
    private func apps(on bench: Bench) async throws -> (mail: ListeningApp, calendar: ListeningApp) {
        let mail = try ListeningApp("com.example.Mail", on: bench)
        let calendar = try ListeningApp("com.example.Calendar", on: bench)
        #expect(calendar.hears("signed out"))
        try await mail.signIn("x")
        #expect(calendar.hears("x"))
        return (mail, calendar)
    }

    /// Expects a user to be still stored after the daemon was killed and started again.
    private func expectKept(_ uid: String, on bench: Bench) async throws {
        try bench.keyring.restartDaemon()
        let later = try ListeningApp("com.example.Calendar", on: bench, group: nil)
        #expect(later.auth.currentUser?.uid == uid)
    }
}

extension PrivateKeyring {
    /// Returns the URL of the file in which GNOME Keyring stores a collection.
    fileprivate func file(_ collection: String) -> URL {
        URL(filePath: "\(directory)/data/keyrings/\(collection).keyring")
    }

    /// Removes the file of a collection.
    fileprivate func removeFile(_ collection: String) throws {
        // The daemon notices only the removal of a file that it has read, which a file that it has just written may not
        // be.
        try replaceFile(collection, by: try Data(contentsOf: file(collection)))
        try FileManager.default.removeItem(at: file(collection))
        try visit()
    }

    /// Replaces the file of a collection.
    fileprivate func replaceFile(_ collection: String, by content: Data) throws {
        try content.write(to: file(collection), options: .atomic)
        // The daemon compares modification times in whole seconds, and checks the files if the directory has changed.
        let paths = [file(collection), file(collection).deletingLastPathComponent()].map(\.path)
        #expect(try run("touch", ["--date=tomorrow"] + paths).status == 0)
        try visit()
    }

    /// Connects a program that is new to the daemon, which makes the daemon check its files.
    private func visit() throws {
        _ = try run("secret-tool", ["search", "nobody", "nothing"])
    }
}
