import FoundationEssentials
import Glibc
import SecretService
import SharedAuth
import TestSupport
import Testing

struct MigrateTests {
    private let mail: Shell
    private let calendar: Shell
    private let report: String

    init() throws {
        mail = try Shell()
        calendar = mail.app("com.example.Calendar")
        report = "\(mail.keyring.directory)/report-\(mail.project)"
    }

    private func signIn(_ app: Shell) throws -> String {
        try #require(try app("sign-in", "--anonymous", "--json").uid)
    }

    private static let own = ["migrate", "--from-own", "--to-group", Shell.group]
    private static let counts = "0 there already, 0 conflicts, 0 skipped, 0 empty, 0 failed."
    private static let note =
        "sharedauth: This tool cannot know which groups an app declares. An app that does not declare its new group reports that "
        + "at its next read, and uses no slot.\n"

    private func migrate(_ options: String..., input: String = "") throws -> ProcessResult {
        try mail.keyring.run(
            BuiltProducts.executable("sharedauth"),
            Self.own + options + mail.identity,
            input: input
        )
    }

    @Test("A dry run prints the plan, a run carries it out, and a second run finds it done")
    func moves() throws {
        let uid = try signIn(mail)
        let look = try migrate("--all-apps", "--dry-run")
        #expect(look.status == 0)
        #expect(
            look.standardOutput == """
                move           com.example.Mail, user \(uid)
                1 to move, \(Self.counts)

                """
        )
        #expect(look.standardError.isEmpty)
        #expect(try mail("status", "--json").json["accessGroup"] == .null)

        let run = try migrate("--all-apps", "--yes", "--report", report)
        #expect(run.status == 0)
        #expect(run.standardOutput == "1 moved, \(Self.counts)\n")
        #expect(run.standardError == Self.note)
        #expect(
            try lines() == [
                #"{"appID":"com.example.Mail","appsAtTarget":[],"error":null,"from":null,"issuers":["app"],"#
                    + #""outcome":"moved","replaced":null,"#
                    + #""to":"group.com.example.office","uid":"\#(uid)","uids":["\#(uid)"],"wasAtTarget":false}"#
            ]
        )
        #expect(try mail("status", "--json").json["accessGroup"] == .string(Shell.group))
        #expect(try mail("status", "--json").uid == uid)
        #expect(try mail("stored-user", "--own", "--json").uid == nil)

        let again = try migrate("--yes", "--json")
        #expect(again.status == 0)
        #expect(
            again.standardOutput == #"{"alreadyThere":1,"conflicts":0,"dryRun":false,"failed":0,"interrupted":false,"#
                + #""joined":0,"moved":0,"notTried":0,"nothing":0,"pending":0,"skipped":0}"# + "\n"
        )
        #expect(again.standardError.isEmpty)
    }

    private func lines() throws -> [String] {
        let text = try String(contentsOf: URL(filePath: report), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    @Test(
        "Another user at the target is a conflict or skipped: status 75, nothing changes",
        arguments: ["fail", "skip"]
    )
    func conflict(_ policy: String) throws {
        let uid = try signIn(mail)
        _ = try calendar("use-group", Shell.group)
        let occupant = try signIn(calendar)
        let run = try migrate("--yes", "--if-occupied", policy)
        #expect(run.status == 75)
        #expect(
            run.standardOutput
                == (policy == "fail"
                    ? "0 moved, 0 there already, 1 conflict, 0 skipped, 0 empty, 0 failed.\n"
                    : "0 moved, 0 there already, 0 conflicts, 1 skipped, 0 empty, 0 failed.\n")
        )
        #expect(
            run.standardError
                == "sharedauth: com.example.Mail, user \(uid): Another user, \(occupant), is signed in to access "
                + "group \(Shell.group). Sign them out there, or choose a policy with --if-occupied.\n"
        )
        #expect(try mail("status", "--json").uid == uid)
        #expect(try calendar("status", "--json").uid == occupant)
    }

    @Test("With add the user is a second account, and the occupant stays current")
    func adds() throws {
        let uid = try signIn(mail)
        _ = try calendar("use-group", Shell.group)
        let occupant = try signIn(calendar)
        #expect(try migrate("--yes", "--if-occupied", "add").status == 0)
        #expect(try mail("status", "--json").uid == occupant)
        #expect(try mail("stored-user", "--own", "--json").uid == nil)
        #expect(uid != occupant)
    }

    @Test("With join the app uses the target's user and keeps its own; undo brings it back")
    func joins() throws {
        let uid = try signIn(mail)
        _ = try calendar("use-group", Shell.group)
        let occupant = try signIn(calendar)
        let look = try migrate("--dry-run", "--if-occupied", "join")
        #expect(look.standardOutput.contains("join           com.example.Mail, user \(uid)\n"))
        let run = try migrate("--yes", "--if-occupied", "join", "--report", report)
        #expect(run.status == 0)
        #expect(run.standardOutput.hasSuffix("0 failed, 1 joined.\n"))
        #expect(try lines().first?.contains(#""outcome":"joined""#) == true)
        #expect(try mail("status", "--json").uid == occupant)
        #expect(try mail("stored-user", "--own", "--json").uid == uid)
        for count in 1...2 {
            let back = try mail("migrate", "--undo", report, "--yes")
            #expect(back.status == 0)
            #expect(back.standardOutput.contains(", 1 joined") == (count == 1), "\(back.standardOutput)")
            #expect(try mail("status", "--json").uid == uid)
            #expect(try calendar("status", "--json").uid == occupant)
        }
    }

    @Test(
        "A replaced session is stored encrypted; undo restores all, also if run twice"
    )
    func undo() throws {
        let uid = try signIn(mail)
        _ = try calendar("use-group", Shell.group)
        let occupant = try signIn(calendar)
        let token = try #require(try mail.refreshToken(in: Shell.group))
        #expect(try migrate("--yes", "--if-occupied", "replace").status == 64)
        let run = try migrate("--yes", "--if-occupied", "replace", "--report", report)
        #expect(run.status == 0)
        #expect(try lines().first?.contains(#""replaced":"\#(occupant)""#) == true)
        #expect(try calendar("status", "--json").uid == uid)

        var status = stat()
        #expect(unsafe stat("\(report).undo", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let kept = try String(contentsOf: URL(filePath: "\(report).undo"), encoding: .utf8)
        #expect(!kept.contains(token) && !kept.contains(occupant))

        for turn in 1...2 {
            let undone = try mail("migrate", "--undo", report, "--yes")
            #expect(undone.status == 0)
            #expect(
                undone.standardOutput
                    == (turn == 1
                        ? "1 moved, \(Self.counts.dropLast()), 1 session restored.\n"
                        : "0 moved, 1 there already, 0 conflicts, 0 skipped, 0 empty, 0 failed, "
                            + "0 sessions restored.\n")
            )
            #expect(undone.standardError.isEmpty)
            #expect(try mail("status", "--json").uid == uid)
            #expect(try mail("status", "--json").json["accessGroup"] == .null)
            #expect(try calendar("status", "--json").uid == occupant)
            #expect(try mail.refreshToken(in: Shell.group) == token)
        }
    }

    @Test("Another user's undo file, or a damaged one, exits with 65 and changes nothing")
    func brokenUndo() throws {
        let uid = try signIn(mail)
        _ = try calendar("use-group", Shell.group)
        _ = try signIn(calendar)
        #expect(try migrate("--yes", "--if-occupied", "replace", "--report", report).status == 0)
        let whole = try Data(contentsOf: URL(filePath: "\(report).undo"))

        let stranger = try PrivateKeyring()
        defer { stranger.shutdown() }
        let other = try stranger.run(
            BuiltProducts.executable("sharedauth"),
            ["migrate", "--undo", report, "--yes"] + mail.identity
        )
        #expect(other.status == 65)
        #expect(other.hasOneLineOfComplaint)

        var broken = whole
        broken[broken.count - 10] ^= 1
        for bytes in [broken, Data("garbage\n".utf8), whole.prefix(whole.count / 2)] {
            try bytes.write(to: URL(filePath: "\(report).undo"))
            let undone = try mail("migrate", "--undo", report, "--yes")
            #expect(undone.status == 65)
            #expect(undone.hasOneLineOfComplaint)
            #expect(undone.standardError.contains("Nothing was changed."))
        }
        try Data("no report\n".utf8).write(to: URL(filePath: "\(report)-2"))
        #expect(try mail("migrate", "--undo", "\(report)-2", "--yes").status == 65)
        #expect(try mail("migrate", "--undo", "\(report)-3", "--yes").status == 64)
        #expect(try mail("status", "--json").uid == uid)
        try whole.write(to: URL(filePath: "\(report).undo"))
        #expect(try mail("migrate", "--undo", report, "--yes").status == 0)
    }

    @Test("Apps are named by option and on standard input; all of a group are required")
    func namesApps() throws {
        let apps = ["com.example.Mail", "com.example.Calendar", "com.example.Notes"].map(mail.app)
        for app in apps { _ = try app("use-group", "group.com.example.old") }
        _ = try signIn(apps[0])
        let list = "# all of ours\n\(apps[0].appID)\n\n  \(apps[1].appID)  # the second\n"
        let some = try mail.keyring.run(
            BuiltProducts.executable("sharedauth"),
            [
                "migrate", "--from-group", "group.com.example.old", "--to-group", Shell.group, "--yes", "--apps-from",
                "-",
            ]
                + mail.identity,
            input: list
        )
        #expect(some.status == 75)
        #expect(some.standardError.contains("is in use by com.example.Notes, too"))
        let all = try mail.keyring.run(
            BuiltProducts.executable("sharedauth"),
            [
                "migrate", "--from-group", "group.com.example.old", "--to-group", Shell.group, "--yes", "--apps-from",
                "-",
            ]
                + ["--for-app", apps[2].appID] + mail.identity,
            input: list
        )
        #expect(all.status == 0)
        #expect(all.standardOutput == "3 moved, \(Self.counts)\n")
        for app in apps { #expect(try app("status", "--json").json["accessGroup"] == .string(Shell.group)) }
    }

    @Test("On a terminal it prints the plan, a prompt and progress; a no changes nothing")
    func terminal() throws {
        let uid = try signIn(mail)
        _ = try signIn(calendar)
        let command =
            [try BuiltProducts.executable("sharedauth")] + Self.own
            + ["--all-apps", "--if-occupied", "add", "--project", mail.project]
        func answer(_ word: String) throws -> String {
            let arguments = ["-qec", command.joined(separator: " "), "/dev/null"]
            return try mail.keyring.run("/usr/bin/script", arguments, input: "\(word)\n").standardOutput
        }
        let refused = try answer("n")
        #expect(refused.contains("move           com.example.Mail, user \(uid)"))
        #expect(refused.contains("2 to move, \(Self.counts) Continue? [y/N]"))
        #expect(refused.contains("Nothing was changed."))
        #expect(try mail("status", "--json").json["accessGroup"] == .null)
        let done = try answer("y")
        #expect(done.contains("\r[####################....................] 1 of 2\r"))
        #expect(done.contains("2 of 2\r\u{1B}[K2 moved, \(Self.counts)"))
        #expect(try mail("status", "--json").json["accessGroup"] == .string(Shell.group))
    }

    @Test("Bad input has its own status, and an error line that says what to do")
    func badInput() throws {
        let uid = try signIn(mail)
        let unasked = try migrate()
        #expect(unasked.status == 64)
        #expect(unasked.standardError.contains("Give --yes"))
        #expect(try mail("migrate", "--from-group", Shell.group, "--to-group", Shell.group, "--yes").status == 64)
        #expect(try mail("migrate", "--from-own", "--to-own", "--yes").status == 64)
        #expect(try mail("migrate", "--from-own", "--to-group", "nodots", "--yes").status == 64)
        #expect(try mail("migrate", "--from-own", "--yes").status == 64)
        #expect(try migrate("--yes", "--for-app", "a/b").status == 64)
        #expect(try migrate("--yes", "--for-app", "a", "--all-apps").status == 64)
        #expect(try migrate("--yes", "--apps-from", "/nonexistent").status == 64)
        #expect(try migrate("--yes", "--if-occupied", "never").status == 64)
        #expect(try migrate("--yes", "--report", "/nonexistent/report").status != 0)
        let empty = try mail("migrate", "--from-group", "group.com.example.none", "--to-group", Shell.group, "--yes")
        #expect(empty.status == 67)
        #expect(
            empty.standardError
                == "sharedauth: There is nothing to migrate from access group group.com.example.none.\n"
        )
        #expect(try mail("status", "--json").uid == uid)
        #expect(try mail("status", "--json").json["accessGroup"] == .null)
        let locked = try PrivateKeyring(state: .locked)
        defer { locked.shutdown() }
        let result = try Shell(in: locked)("migrate", "--from-own", "--to-group", Shell.group, "--all-apps", "--yes")
        #expect(result.status == 75)
        #expect(result.hasOneLineOfComplaint)
    }

    @Test("A damaged record fails its own user only, and sets the exit status")
    func damaged() throws {
        _ = try signIn(mail)
        try mail.replaceRecords(with: "damage")
        let uid = try signIn(calendar)
        let run = try migrate("--yes", "--all-apps", "--report", report)
        #expect(run.status == 65)
        #expect(
            run.standardOutput
                == "1 moved, 0 there already, 0 conflicts, 0 skipped, 0 empty, 1 failed.\n"
        )
        #expect(run.standardError.contains("com.example.Mail: The app's own slot: The stored record is damaged"))
        #expect(try calendar("status", "--json").json["accessGroup"] == .string(Shell.group))
        #expect(try calendar("status", "--json").uid == uid)
        #expect(try lines().count == 2)
    }

    @Test("A report that cannot be written stops the run before a user is moved")
    func fullDisk() throws {
        let uid = try signIn(mail)
        let run = try mail.keyring.run(
            "/bin/bash",
            ["-c", #"ulimit -f 1; exec "$@""#, "bash", try BuiltProducts.executable("sharedauth")]
                + Self.own + ["--yes", "--report", report] + mail.identity
        )
        #expect(run.status == 70)
        #expect(run.standardError.contains("The report \(report) cannot be written"))
        #expect(try mail("status", "--json").uid == uid)
        #expect(try mail("status", "--json").json["accessGroup"] == .null)
    }

    @Test("A signal ends a migration after the current user, with the summary", arguments: [SIGINT, SIGTERM])
    func interrupted(_ signal: Int32) throws {
        // The shared keyring receives calls of other tests.
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let mail = try Shell(in: keyring)
        let apps = ["com.example.App1", "com.example.App2", "com.example.App3"].map(mail.app)
        for app in apps { _ = try signIn(app) }
        let store = mail.keyring.makeStore()
        let key = RecordKey(
            scope: .app(apps[1].appID),
            project: mail.project,
            instance: AuthApp.defaultName,
            kind: "user"
        )
        let calls = try BusCalls(of: mail.keyring)
        let lock = try store.acquire("lock", for: key, by: .patient)
        let run = try RunningProgram(
            "sharedauth",
            Self.own + ["--all-apps", "--if-occupied", "add", "--yes"] + mail.identity,
            in: mail.keyring
        )
        // The first user is moved, and the second one is copied.
        try calls.await("CreateItem")
        try calls.await("CreateItem")
        run.process.signal(signal)
        // The signal is delivered before the migration can continue.
        lock.release()
        #expect(
            try run.line()
                == "2 moved, 0 there already, 0 conflicts, 0 skipped, 0 empty, 0 failed, 1 not tried."
        )
        #expect(run.process.wait() == 128 + signal)
        #expect(try apps[1]("status", "--json").json["accessGroup"] == .string(Shell.group))
        #expect(try apps[2]("status", "--json").json["accessGroup"] == .null)
    }

    @Test(
        "Choices are found in Flatpak's, Snap's and named state directories"
    )
    func stateDirectories() throws {
        let home = "\(mail.keyring.directory)/home"
        let flatpak = mail.app("com.example.Packed\(mail.project)")
        let snap = mail.app("snapped-\(mail.project)")
        let named = mail.app("com.example.Named")
        let given = "\(mail.keyring.directory)/given-\(mail.project)"
        let files = [
            (flatpak, "\(home)/.var/app/\(flatpak.appID)/.local/state/sharedauth"),
            (snap, "\(home)/snap/\(snap.appID)/current/.local/state/sharedauth"), (named, given),
        ]
        for (_, directory) in files.prefix(2) {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        // This app has stored a choice before.
        let options = AuthApp.Options(
            appID: named.appID,
            project: mail.project,
            store: .secretService(.init(busAddress: .address(mail.keyring.busAddress))),
            stateDirectory: given,
            observesOtherProcesses: false
        )
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        try auth.useUserAccessGroup(Shell.group)
        try auth.useUserAccessGroup(nil)
        for (app, _) in files { _ = try signIn(app) }
        let run = try migrate("--yes", "--all-apps", "--if-occupied", "add", "--state-directory", given)
        #expect(run.status == 0)
        #expect(run.standardOutput == "3 moved, \(Self.counts)\n")
        for (app, directory) in files {
            let path = "\(directory)/\(app.appID)/\(mail.project)/default.json"
            let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
            #expect(text.contains(Shell.group))
        }
    }
}
