import Foundation
import Glibc
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// Tests `migrate` with several users, and interrupted calls.
struct UndoTests {
    private let mail: Shell
    private let report: String

    init() throws {
        mail = try Shell()
        report = "\(mail.keyring.directory)/undo-\(mail.project)"
    }

    private var apps: [Shell] { [mail, mail.app("com.example.Calendar"), mail.app("com.example.Notes")] }

    private func migrate(_ options: String...) throws -> ProcessResult {
        let move = ["migrate", "--from-own", "--to-group", Shell.group, "--all-apps"]
        return try mail.bare(move + options + mail.identity)
    }

    @Test("An undo restores each app's current user after all were added to one group")
    func current() throws {
        var current: [String] = []
        for app in apps {
            let uids = try (1...3).map { try app.signIn(as: "\(app.appID)\($0)@example.com", "--keep-others") }
            #expect(try app("switch", uids[1]).status == 0)
            current.append("\(uids[1])\n")
        }
        #expect(try migrate("--if-occupied", "add", "--report", report, "--yes").status == 0)
        #expect(try Set(apps.map { try $0("whoami").standardOutput }).count == 1)
        let undone = try mail("migrate", "--undo", report, "--yes")
        #expect(undone.status == 0)
        #expect(undone.standardOutput.hasPrefix("3 moved, 0 there already"))
        for (app, uid) in zip(apps, current) {
            #expect(try app("whoami").standardOutput == uid)
            #expect(try app("accounts").standardOutput.split(separator: "\n").count == 3)
        }
    }

    @Test("An undo keeps a current user chosen in the app's own slot since")
    func currentMeanwhile() throws {
        let apps = apps.prefix(2)
        for app in apps {
            for number in 1...2 { _ = try app.signIn(as: "\(app.appID)\(number)@example.com", "--keep-others") }
        }
        #expect(try migrate("--if-occupied", "add", "--report", report, "--yes").status == 0)
        #expect(try mail("use-group", "--none").status == 0)
        let late = try mail.signIn(as: "late@example.com")
        _ = try mail("migrate", "--undo", report, "--yes")
        #expect(try mail("stored-user", "--own", "--json").uid == late)
    }

    @Test("A missing report is a usage error, not a damaged file")
    func noReport() throws {
        let undone = try mail("migrate", "--undo", "\(report).none", "--yes")
        #expect(undone.status == 64)
        #expect(
            undone.standardError
                == "sharedauth: There is no file \(report).none. Nothing was changed. Name the file that --report wrote.\n"
        )
    }

    @Test("A preview names the app whose user is moved first and blocks the others")
    func preview() throws {
        for app in apps { _ = try app.signIn() }
        let preview = try migrate("--dry-run")
        let lines = preview.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("move ") && lines[0].contains(" com.example.Calendar, user "))
        for line in lines[1...2] {
            let reason =
                ": the user of com.example.Calendar is moved to access group \(Shell.group) first, in this run."
            #expect(line.hasPrefix("conflict") && line.hasSuffix(reason), "\(line)")
        }
    }

    @Test("The line of an already migrated slot names all its users")
    func alreadyThere() throws {
        let uids = try (1...3).map { try mail.signIn(as: "\($0)@example.com", "--keep-others") }
        #expect(try migrate("--yes").status == 0)
        #expect(try migrate("--report", report, "--yes").status == 0)
        let line = try #require(JSONObject(Data(contentsOf: URL(filePath: report)).prefix { $0 != 10 }))
        #expect(line.string("outcome") == "already-there")
        #expect(Set(line.strings("uids") ?? []) == Set(uids))
    }

    @Test("A lost terminal ends a migration after the current user, with no user half moved")
    func hangUp() throws {
        let apps = apps.sorted { $0.appID < $1.appID }
        for app in apps { _ = try app.signIn() }
        _ = try apps[1]("use-group", "--none")
        let place = "\(mail.keyring.directory)/state/sharedauth/\(apps[1].appID)/\(mail.project)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let lock = unsafe open("\(place)/default.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
        let run = try RunningProgram(
            "sharedauth",
            ["migrate", "--from-own", "--to-group", Shell.group, "--all-apps", "--if-occupied", "add", "--yes"]
                + mail.identity,
            in: mail.keyring
        )
        // Once the first app's user is in the group, the second app waits for its lock.
        while try apps[0]("stored-user", "--group", Shell.group, "--json").uid == nil {}
        run.process.signal(SIGHUP)
        close(lock)
        let counts = try run.line()
        #expect(counts.hasSuffix("not tried."), "\(counts)")
        #expect(run.process.wait() == 128 + SIGHUP)
        var slots: [JSONValue] = []
        if case .array(let found)? = try mail("list", "--json").json["slots"] { slots = found }
        #expect(slots.compactMap { $0["accounts"]?.number }.reduce(0, +) == Double(apps.count))
    }
}
