import Foundation
import Glibc
import SharedAuth
import SharedAuthRecords
import TestSupport
import Testing

/// Tests the report of `migrate`, and the undo of a report.
struct MigrateReportTests {
    private static let old = "group.com.example.old"
    private static let other = "group.com.example.other"
    private static let none = "0 there already, 0 conflicts, 0 skipped, 0 empty, 0 failed"

    private let mail: Shell
    private let report: String

    init() throws {
        mail = try Shell()
        report = "\(mail.keyring.directory)/report-\(mail.project)"
    }

    private func migrate(_ options: String..., report: String? = nil) throws -> ProcessResult {
        let report = ["--report", report ?? self.report]
        return try mail.keyring.run(
            BuiltProducts.executable("sharedauth"),
            ["migrate", "--yes"] + options + report + mail.identity
        )
    }

    private func undo(_ report: String? = nil) throws -> ProcessResult {
        try mail("migrate", "--undo", report ?? self.report, "--yes")
    }

    private func uid(_ app: Shell, _ slot: String...) throws -> String? {
        let tool = try BuiltProducts.executable("sharedauth")
        return try mail.keyring.run(tool, ["stored-user", "--json"] + slot + app.identity).uid
    }

    private func group(_ app: Shell) throws -> JSONValue? { try app("status", "--json").json["accessGroup"] }

    private func lines(_ path: String? = nil) throws -> [String] {
        let text = try String(contentsOf: URL(filePath: path ?? report), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("Two migrations are undone one after the other, from one report or two", arguments: [1, 2])
    func twice(_ reports: Int) throws {
        let uid = try mail.signIn()
        let second = reports == 1 ? report : "\(report)-second"
        #expect(try migrate("--from-own", "--to-group", Shell.group).status == 0)
        let merge = try migrate("--from-group", Shell.group, "--to-group", Self.other, report: second)
        #expect(merge.status == 0)
        for report in Set([report, second]).sorted(by: >) {
            #expect(
                try undo(report).standardOutput == "\(reports == 1 ? 2 : 1) moved, \(Self.none), 0 sessions restored.\n"
            )
            if report != self.report { #expect(try group(mail) == .string(Shell.group)) }
        }
        #expect(try group(mail) == .null)
        #expect(try self.uid(mail, "--own") == uid)
        for group in [Shell.group, Self.other] { #expect(try self.uid(mail, "--group", group) == nil) }
    }

    @Test("All accounts of a slot are in one line and are undone together")
    func severalAccounts() throws {
        let first = try mail.signIn()
        let second = try mail.signIn(as: "ada@example.com", "--keep-others")
        #expect(try migrate("--from-own", "--to-group", Shell.group).status == 0)
        #expect(
            try lines().first?.contains(#""uid":"\#(second)","uids":["\#(first)","\#(second)"],"uidsAtTarget":[]"#)
                == true
        )
        let accounts = try mail("accounts").standardOutput
        #expect(accounts.contains(first) && accounts.contains("* \(second)"))
        #expect(try undo().status == 0)
        #expect(try mail("accounts").standardOutput == accounts)
        #expect(try group(mail) == .null)
        #expect(try uid(mail, "--group", Shell.group) == nil)
    }

    @Test("Users of several apps moved to one group go back, and none stays in the group")
    func severalUsers() throws {
        let calendar = mail.app("com.example.Calendar")
        let uids = try [mail.signIn(), calendar.signIn()]
        #expect(try migrate("--from-own", "--to-group", Shell.group, "--all-apps", "--if-occupied", "add").status == 0)
        #expect(try undo().standardOutput == "2 moved, \(Self.none), 0 sessions restored.\n")
        #expect(try [mail, calendar].map { try uid($0, "--own") } == uids)
        #expect(try mail("list", "--group", Shell.group).standardOutput == "nothing is stored\n")
    }

    @Test(
        "Undo removes a moved user from the group unless another app has joined it since",
        arguments: [false, true]
    )
    func othersStay(isLater: Bool) throws {
        let calendar = mail.app("com.example.Calendar")
        if !isLater { _ = try calendar("use-group", Shell.group) }
        let uid = try mail.signIn()
        #expect(try migrate("--from-own", "--to-group", Shell.group).status == 0)
        if isLater { _ = try calendar("use-group", Shell.group) }
        let undone = try undo()
        #expect(undone.standardOutput == "1 moved, \(Self.none), 0 sessions restored.\n")
        #expect(try mail("whoami").standardOutput == "\(uid)\n")
        #expect(try calendar("whoami").status == (isLater ? 0 : 67))
        #expect(undone.standardError.contains("\(uid) stays in access group \(Shell.group), too") == isLater)
    }

    @Test("An app's choices in two directories are migrated and undone together")
    func twoPlaces() throws {
        // Create a file that stores the choice.
        for choice in [Self.other, "--none"] { _ = try mail("use-group", choice) }
        let uid = try mail.signIn()
        let given = "\(mail.keyring.directory)/given-\(mail.project)"
        let place = "\(given)/\(mail.appID)/\(mail.project)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let file = URL(filePath: "\(place)/default.json")
        try Data(#"{"slot":{"own":{}},"version":1}"#.utf8).write(to: file)
        let run = try migrate("--from-own", "--to-group", Shell.group, "--state-directory", given)
        #expect(run.standardOutput == "1 moved, \(Self.none).\n")
        #expect(try group(mail) == .string(Shell.group))
        #expect(try String(contentsOf: file, encoding: .utf8).contains(Shell.group))
        #expect(try mail("migrate", "--undo", report, "--yes", "--state-directory", given).status == 0)
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#""slot":{"own":{}},"version""#))
        #expect(try group(mail) == .null)
        #expect(try self.uid(mail, "--own") == uid)
    }

    @Test("A session is put back only once, whatever happened to it since")
    func restoredOnce() throws {
        let calendar = mail.app("com.example.Calendar")
        _ = try mail.signIn()
        _ = try calendar("use-group", Shell.group)
        let occupant = try calendar.signIn()
        #expect(try migrate("--from-own", "--to-group", Shell.group, "--if-occupied", "replace").status == 0)
        #expect(try undo().standardOutput == "1 moved, \(Self.none), 1 session restored.\n")
        #expect(try calendar("whoami").standardOutput == "\(occupant)\n")
        #expect(try calendar("sign-out").status == 0)
        let again = try undo()
        #expect(again.status == 0)
        #expect(again.standardOutput.hasSuffix("0 sessions restored.\n"))
        #expect(try calendar("whoami").status == 67)
    }

    @Test("Undo brings back the users of a killed merge, also after the merge was completed", arguments: [false, true])
    func killed(isFinished: Bool) throws {
        let apps = ["com.example.Calendar", "com.example.Mail", "com.example.Notes"].map(mail.app)
        for app in apps { _ = try app("use-group", Self.old) }
        let uid = try mail.signIn()
        let states = "\(mail.keyring.directory)/state/sharedauth"
        let merge = ["migrate", "--from-group", Self.old, "--to-group", Shell.group, "--all-apps", "--yes"]
        do {
            // The merge waits for the source once all apps have noted it, and then for the second app's choice.
            let source = RecordKey(scope: .group(Self.old), project: mail.project, instance: "default", kind: "user")
            let name = source.lockName("org.sharedauth.lock")
            let holder = try RunningProgram("TestDaemon", ["hold-name", name], in: mail.keyring)
            #expect(try holder.line() == name)
            let terminal = try Terminal(
                BuiltProducts.executable("sharedauth"),
                merge + ["--report", report, "--project", mail.project],
                in: mail.keyring
            )
            let noted = "\(states)/\(apps[2].appID)/\(mail.project)/default.steps"
            while !FileManager.default.fileExists(atPath: noted) { sched_yield() }
            let lock = unsafe open("\(states)/\(mail.appID)/\(mail.project)/default.lock", O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
            holder.process.end()
            try terminal.await("\r[#############...........................] 1 of 3")
        }
        #expect(try lines().allSatisfy { $0.allSatisfy { $0 == " " } })
        if isFinished {
            let end = try migrate("--from-group", Self.old, "--to-group", Shell.group, "--all-apps")
            #expect(
                end.standardOutput == "2 moved, 1 there already, \(Self.none.dropFirst("0 there already, ".count)).\n"
            )
            #expect(try lines().count == 3)
            #expect(
                try lines().allSatisfy { $0.contains(#""outcome":"moved""#) && $0.contains(#""wasAtTarget":false"#) }
            )
            #expect(!FileManager.default.fileExists(atPath: "\(report).begun"))
        }
        let undone = try undo()
        #expect(undone.status == 0)
        // Of the apps that were not moved, the noted move is cancelled.
        #expect(undone.standardOutput == "3 moved, \(Self.none), 0 sessions restored.\n")
        for app in apps {
            #expect(try group(app) == .string(Self.old))
            #expect(try app("whoami").standardOutput == "\(uid)\n")
        }
        #expect(try self.uid(mail, "--group", Shell.group) == nil)
    }

    @Test("A user added by a killed run has a report line once the run was repeated")
    func killedAfterAdding() throws {
        let calendar = mail.app("com.example.Calendar")
        let uid = try mail.signIn()
        _ = try calendar("use-group", Shell.group)
        let occupant = try calendar.signIn()
        let add = {
            try migrate("--from-own", "--to-group", Shell.group, "--for-app", mail.appID, "--if-occupied", "add")
        }
        #expect(try add().status == 0)
        // The state after a run was killed between the move and its line.
        try FileManager.default.moveItem(atPath: report, toPath: "\(report).begun")
        #expect(try add().status == 0)
        let line = try #require(try lines().first)
        #expect(line.contains(#""outcome":"moved""#) && line.contains(#""uid":"\#(uid)""#))
        #expect(!FileManager.default.fileExists(atPath: "\(report).begun"))
        #expect(try undo().status == 0)
        #expect(try self.uid(mail, "--own") == uid)
        #expect(try self.uid(calendar, "--group", Shell.group) == occupant)
    }

    @Test("Undo brings back and counts each valid line, although another line is invalid")
    func brokenLine() throws {
        let uid = try mail.signIn()
        #expect(try migrate("--from-own", "--to-group", Shell.group).status == 0)
        let line = try #require(try lines().first)
        let text = "\(line)\n\(line.replacing(Shell.group, with: "nodots"))\n"
        try Data(text.utf8).write(to: URL(filePath: report))
        let undone = try undo()
        #expect(undone.status == 64)
        #expect(undone.standardOutput == "1 moved, \(Self.none), 0 sessions restored, 1 not tried.\n")
        #expect(undone.hasOneLineOfComplaint)
        #expect(try self.uid(mail, "--own") == uid)
    }

    @Test("Ctrl-C ends an undo after the current user; progress and counts are printed")
    func interruptedUndo() throws {
        let apps = ["com.example.App1", "com.example.App2", "com.example.App3"].map(mail.app)
        for app in apps { _ = try app.signIn() }
        for (app, group) in zip(apps, [Shell.group, Self.other, Self.old]) {
            #expect(try migrate("--from-own", "--to-group", group, "--for-app", app.appID).status == 0)
        }
        // The last move is undone first.
        let path = "\(mail.keyring.directory)/state/sharedauth/\(apps[1].appID)/\(mail.project)/default.lock"
        let lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
        let terminal = try mail.terminal("migrate", "--undo", report, "--yes")
        try terminal.await("\r[#############...........................] 1 of 3")
        try terminal.type("\u{3}")
        try terminal.await("^C")
        close(lock)
        let (status, shown) = try terminal.end()
        #expect(status == 128 + SIGINT)
        // The signal arrives before the second app's undo has begun, or while it waits.
        let counts = [(1, 2), (2, 1)].map { "\($0) moved, \(Self.none), 0 sessions restored, \($1) not tried.\n" }
        #expect(counts.contains(where: shown.hasSuffix), "\(shown)")
        #expect(try group(apps[0]) == .string(Shell.group))
        #expect(try undo().status == 0)
        for app in apps { #expect(try group(app) == .null) }
    }

    @Test("A report has one run at a time: a second run or undo fails and changes nothing")
    func oneAtATime() throws {
        let uid = try mail.signIn()
        #expect(try migrate("--from-own", "--to-group", Shell.group).status == 0)
        let before = try lines()
        let file = unsafe open(report, O_RDWR | O_CLOEXEC)
        try #require(file >= 0 && flock(file, LOCK_EX) == 0)
        for run in [try migrate("--from-group", Shell.group, "--to-own"), try undo()] {
            #expect(run.status == 75)
            #expect(run.standardError.contains("Another migration uses the report \(report)."))
            #expect(run.hasOneLineOfComplaint)
        }
        close(file)
        #expect(try lines() == before)
        #expect(try self.uid(mail, "--group", Shell.group) == uid)
        #expect(try undo().status == 0)
    }

    @Test(
        "A path that cannot store a report is refused before a user is moved",
        arguments: ["/dev/full", "/dev/null", "/tmp"]
    )
    func noFile(_ path: String) throws {
        let uid = try mail.signIn()
        let run = try migrate("--from-own", "--to-group", Shell.group, report: path)
        #expect(run.status == 64)
        #expect(
            run.standardError
                == "sharedauth: \(path) is no regular file, and cannot be a report. Name another file.\n"
        )
        #expect(try self.uid(mail, "--own") == uid)
    }

    @Test("A report path that is a link is refused, and the link's file is not changed")
    func link() throws {
        let uid = try mail.signIn()
        let file = "\(report).file"
        try Data("mine".utf8).write(to: URL(filePath: file))
        try FileManager.default.createSymbolicLink(atPath: report, withDestinationPath: file)
        let run = try migrate("--from-own", "--to-group", Shell.group)
        #expect(run.status == 64)
        #expect(run.standardError.contains("\(report) is no regular file"))
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("mine".utf8))
        #expect(try self.uid(mail, "--own") == uid)
    }

    @Test("A foreign file at the undo file's path is not overwritten", arguments: ["my notes", "my notes\n", "S"])
    func foreignUndoFile(_ text: String) throws {
        let calendar = mail.app("com.example.Calendar")
        let uid = try mail.signIn()
        _ = try calendar("use-group", Shell.group)
        _ = try calendar.signIn()
        let file = URL(filePath: "\(report).undo")
        try Data(text.utf8).write(to: file)
        _ = unsafe chmod(file.path, 0o600)
        let run = try migrate("--from-own", "--to-group", Shell.group, "--if-occupied", "replace")
        // An undo file of the tool can begin so if its first write was cut short.
        #expect(run.status == (text == "S" ? 0 : 65))
        if text == "S" { return #expect(try undo().status == 0) }
        #expect(run.standardError.contains("is not an undo file of this user and project"))
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        #expect(try self.uid(mail, "--own") == uid)
    }

    @Test("A dry run lists the moves as JSON; a run's JSON notes what cannot be known")
    func json() throws {
        let uid = try mail.signIn()
        let options = ["migrate", "--from-own", "--to-group", Shell.group, "--json"] + mail.identity
        let tool = try BuiltProducts.executable("sharedauth")
        let look = try mail.keyring.run(tool, options + ["--dry-run"])
        #expect(
            look.standardOutput
                == #"{"alreadyThere":0,"conflicts":0,"dryRun":true,"failed":0,"interrupted":false,"joined":0,"moved":1,"#
                + #""moves":[{"appID":"com.example.Mail","appsAtTarget":[],"error":null,"from":null,"issuers":["app"],"#
                + #""outcome":"moved","replaced":null,"#
                + #""to":"\#(Shell.group)","uid":"\#(uid)","uids":["\#(uid)"],"wasAtTarget":false}],"#
                + #""notTried":0,"nothing":0,"pending":0,"skipped":0}"# + "\n"
        )
        let run = try mail.keyring.run(tool, options + ["--yes"])
        #expect(try run.json["note"]?.string?.hasPrefix("This tool cannot know which groups an app declares.") == true)
        #expect(run.standardError.isEmpty)
    }

    @Test("A timeout ends the run, because it would recur for each further user")
    func timedOut() throws {
        let apps = ["com.example.App1", "com.example.App2", "com.example.App3"].map(mail.app)
        for app in apps { _ = try app.signIn() }
        _ = try apps[0]("use-group", "--none")
        let place = "\(mail.keyring.directory)/state/sharedauth/\(apps[0].appID)/\(mail.project)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let lock = unsafe open("\(place)/default.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let run = try migrate("--from-own", "--to-group", Shell.group, "--all-apps", "--if-occupied", "add")
        #expect(run.status == 75)
        #expect(
            run.standardOutput
                == "0 moved, 0 there already, 0 conflicts, 0 skipped, 0 empty, 1 failed, 2 not tried.\n"
        )
        #expect(run.hasOneLineOfComplaint)
    }

    @Test("The progress bar of a merge counts its apps")
    func mergeBar() throws {
        let apps = ["com.example.Calendar", "com.example.Mail", "com.example.Notes", "com.example.Tasks"].map(mail.app)
        for app in apps { _ = try app("use-group", Self.old) }
        _ = try mail.signIn()
        let terminal = try mail.terminal(
            "migrate",
            "--from-group",
            Self.old,
            "--to-group",
            Shell.group,
            "--all-apps",
            "--yes"
        )
        for (number, bar) in [(1, 10), (2, 20), (3, 30), (4, 40)] {
            let text = String(repeating: "#", count: bar) + String(repeating: ".", count: 40 - bar)
            try terminal.await("\r[\(text)] \(number) of 4")
        }
        try terminal.await("\r\u{1B}[K4 moved")
        #expect(try terminal.end().status == 0)
    }
}
