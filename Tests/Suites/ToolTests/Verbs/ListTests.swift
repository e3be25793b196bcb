import EncryptedFiles
import FoundationEssentials
import SecretService
import SharedAuth
import TestSupport
import Testing

/// Tests `list` with slots of several apps and groups.
struct ListTests {
    let tool: Shell

    init() throws {
        tool = try Shell()
    }

    /// Returns an account whose token expires at a fixed time.
    private func account(_ uid: String, issuer: String? = "com.example.issuer") -> Account {
        let tokens = UserTokens(
            idToken: "secret-token",
            refreshToken: "secret-token",
            expirationDate: Date(timeIntervalSince1970: 1_800_000_000)
        )
        let profile = UserProfile(uid: uid, email: "person@example.com")
        return Account(profile: profile, tokens: tokens, project: "p", issuer: issuer)
    }

    private func put(_ change: RecordChange, _ scope: RecordKey.Scope) throws {
        let key = RecordKey(scope: scope, project: tool.project, instance: "default", kind: "user")
        try tool.keyring.makeStore().update(key, by: .after(.seconds(20))) { _ in change }
    }

    private func put(_ uids: String..., issuer: String? = "com.example.issuer", in scope: RecordKey.Scope) throws {
        let record = uids.reduce(UserRecord()) { $0.signingIn(account($1, issuer: issuer), keepingOthers: true) }
        try put(.write(record.encoded()), scope)
    }

    /// Replaces the content of a record.
    private func damage(_ scope: String) throws {
        let service = tool.keyring.makeService()
        let wanted = ["sharedauth-project": tool.project, "sharedauth-scope": scope, "sharedauth-kind": "user"]
        for item in try service.items(matching: wanted).unlocked { try item.setSecret(Secret("junk")) }
    }

    /// Creates slots of every kind.
    private func fill() throws {
        try put("uid-of-mail", in: .app("com.example.Mail"))
        try put("first", "second", in: .group(Shell.group))
        try put("x", in: .app("com.example.Calendar"))
        try damage("app:com.example.Calendar")
        try put("y", in: .group("group.com.example.aside"))
        try damage("group:group.com.example.aside")
        try put(.replaceDamaged(UserRecord().signingIn(account("z")).encoded()), .group("group.com.example.aside"))
        // A record of another project, and records that are no slots.
        try Shell(in: tool.keyring).put(try UserRecord().signingIn(account("other")).encoded())
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try tool("sign-out").status == 0)
        try put("uid-of-mail", in: .app("com.example.Mail"))
    }

    @Test("Each slot of the project is listed in two lines, with a mark if it is unusual")
    func text() throws {
        try fill()
        let result = try tool("list")
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
        #expect(
            result.standardOutput.withoutMinutes == """
                SLOT                            ACCOUNTS  BYTES  CHANGED
                  USER         ISSUER              EXPIRES
                own com.example.Calendar               ?      4  ----------------Z
                  ?
                  damaged: it does not begin as a record does
                own com.example.Mail                   1    519  ----------------Z
                  uid-of-mail  com.example.issuer  ----------------Z
                group group.com.example.aside          1    492  ----------------Z
                  z            com.example.issuer  ----------------Z
                  1 set aside
                group group.com.example.office         2    847  ----------------Z
                  second       com.example.issuer  ----------------Z

                """
        )
        #expect(result.standardOutput.contains("2027-01-15T08:00Z"))
    }

    @Test("JSON output has all known values of each slot, without an address or a token")
    func json() throws {
        try fill()
        let result = try tool("list", "--json")
        #expect(result.status == 0)
        #expect(!result.standardOutput.contains("person@example.com"))
        #expect(!result.standardOutput.contains("secret-token"))
        let json = try result.json
        #expect(json["project"] == .string(tool.project))
        guard case .array(let slots) = json["slots"] else { Issue.record("no slots"); return }
        #expect(slots.map { $0["appID"]?.string } == ["com.example.Calendar", "com.example.Mail", nil, nil])
        #expect(slots.map { $0["accessGroup"]?.string } == [nil, nil, "group.com.example.aside", Shell.group])
        #expect(slots.map { $0["slot"]?.string } == ["own", "own", "group", "group"])
        #expect(slots.map { $0["state"]?.string } == ["damaged", "signed-in", "signed-in", "signed-in"])
        #expect(slots.map { $0["uid"]?.string } == [nil, "uid-of-mail", "z", "second"])
        #expect(slots.map { $0["accounts"] } == [.null, .number(1), .number(1), .number(2)])
        #expect(slots[0]["reason"]?.string == "it does not begin as a record does")
        #expect(slots[0]["size"] == .number(4))
        #expect(slots[1]["issuer"]?.string == "com.example.issuer")
        #expect(slots[1]["expires"]?.string == "2027-01-15T08:00:00Z")
        #expect(slots[1]["changed"]?.string?.hasSuffix("Z") == true)
        guard case .array(let copies) = slots[2]["setAside"] else { Issue.record("no copies"); return }
        #expect(copies.count == 1)
        #expect(copies.first?["place"]?.string?.hasPrefix("/org/freedesktop/secrets/") == true)
        let date = try Date(#require(copies.first?["date"]?.string), strategy: .iso8601)
        #expect(abs(date.timeIntervalSinceNow) < 600)
        guard case .object(let members) = slots[1] else { Issue.record("no object"); return }
        #expect(
            members.keys.sorted() == [
                "accessGroup", "accounts", "appID", "changed", "duplicates", "expires", "file", "fleet", "issuer",
                "reason", "setAside", "size", "slot", "state", "uid",
            ]
        )
    }

    @Test("A slot that a fleet keeps is marked, with the time of an earlier copy")
    func fleet() throws {
        let record = UserRecord().signingIn(account("x"))
        try put(.write(record.viewed(asOf: nil).encoded()), .group("group.com.example.current"))
        try put(.write(record.viewed(asOf: Date(timeIntervalSince1970: 0)).encoded()), .group(Shell.group))
        try put("y", in: .app("com.example.Mail"))
        let lines = try tool("list").standardOutput.split(separator: "\n")
        #expect(
            lines.filter { $0.contains("fleet") } == [
                "  kept on a fleet", "  kept on a fleet, as of 1970-01-01T00:00Z",
            ]
        )
        guard case .array(let slots) = try tool("list", "--json").json["slots"] else {
            Issue.record("no slots")
            return
        }
        #expect(slots.map { $0["uid"]?.string } == ["y", "x", "x"])
        #expect(
            slots.map { $0["fleet"] } == [
                .null, .object(["asOf": .null]), .object(["asOf": .string("1970-01-01T00:00:00Z")]),
            ]
        )
    }

    @Test("--app and --group select slots, which need not exist")
    func filters() throws {
        try fill()
        func names(_ arguments: String...) throws -> [String?] {
            let result = try tool.bare(["list", "--json"] + arguments + tool.identity)
            guard result.status == 0, case .array(let slots) = try result.json["slots"] else {
                Issue.record("\(result.standardError)")
                return []
            }
            return slots.map { $0["appID"]?.string ?? $0["accessGroup"]?.string }
        }
        #expect(try names("--app", "com.example.Mail") == ["com.example.Mail"])
        #expect(try names("--group", Shell.group, "--app", "com.example.Mail") == ["com.example.Mail", Shell.group])
        #expect(try names("--app", "com.example.Mail", "--app", "com.example.Calendar").count == 2)
        #expect(try names("--app", "com.example.Nobody") == [])
        #expect(try tool("list", "--app", "com.example.Nobody").standardOutput == "nothing is stored\n")
        for wrong in [["--group", "nodots"], ["--app", "com..example"], ["--project", "a b"]] {
            let result = try tool.bare(["list"] + wrong)
            #expect(result.status == 64)
            #expect(result.standardOutput.isEmpty)
            #expect(result.hasOneLineOfComplaint)
        }
    }

    @Test("Lines have at most 80 columns and no control characters, whatever the names")
    func longNames() throws {
        let long = "com.example." + String(repeating: "long", count: 50)
        let uid = String(repeating: "user", count: 40)
        try put(uid, issuer: "https://\(uid).example.com", in: .app(long))
        try put("\u{1B}[31m\u{202E}nobody\n", issuer: nil, in: .group("group.\(long)"))
        try put("人" + String(repeating: "名前", count: 40), in: .app("com.example.Wide"))
        let lines = try tool("list").standardOutput.split(separator: "\n")
        #expect(lines.count == 8)
        #expect(lines.map { String($0).displayColumns }.max() == 80)
        #expect(
            lines.prefix(4).joined(separator: "\n").withoutMinutes == """
                SLOT                                          ACCOUNTS  BYTES  CHANGED
                  USER                           ISSUER                        EXPIRES
                own com.example.Wide                                 1   1138  ----------------Z
                  人名前名前名前…前名前名前名前  com.example.issuer            ----------------Z
                """
        )
        #expect(lines[5].hasPrefix("  useruseruserus…eruseruseruser  https://userus…r.example.com  "))
        #expect(lines[7].hasPrefix("  ?[31m?nobody?"))
        #expect(lines.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E } })
    }

    @Test("A wide terminal has one line for each slot, and a narrow one a short form")
    func terminal() throws {
        try put("uid-of-mail", in: .app("com.example.Mail"))
        let program = try BuiltProducts.executable("sharedauth")
        func lines(columns: Int) throws -> [String] {
            let call = "stty cols \(columns); exec \(program) list --project \(tool.project)"
            let result = try tool.keyring.run("/usr/bin/script", ["-qec", call, "/dev/null"])
            return result.standardOutput.withoutMinutes.split(whereSeparator: \.isNewline).map(String.init)
        }
        #expect(
            try lines(columns: 120) == [
                "SLOT                  USER         ISSUER              EXPIRES            ACCOUNTS  BYTES  CHANGED",
                "own com.example.Mail  uid-of-mail  com.example.issuer  ----------------Z         1    519"
                    + "  ----------------Z",
            ]
        )
        #expect(try lines(columns: 90).count == 4)
        #expect(try lines(columns: 40).map(\.displayColumns).max() ?? 0 <= 80)
    }

    @Test("A locked keyring exits with status 75 and prints no table", arguments: [false, true])
    func locked(asJSON: Bool) throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        #expect(try tool("sign-in", "--anonymous").status == 0)
        for restarts in [false, true] {
            if restarts {
                try keyring.restartDaemon(unlocked: false)
            } else {
                try keyring.lock()
            }
            let result = try tool.bare(["list"] + (asJSON ? ["--json"] : []) + tool.identity)
            #expect(result.status == 75)
            #expect(result.standardOutput.isEmpty)
            #expect(result.hasOneLineOfComplaint)
            #expect(result.standardError.contains("locked"))
        }
    }

    @Test("The status is 69 without keyring or default collection, and 0 without records")
    func nothingThere() throws {
        for state in [PrivateKeyring.State.noDaemon, .noDefaultCollection] {
            let keyring = try PrivateKeyring(state: state)
            let result = try Shell(in: keyring)("list")
            #expect(result.status == 69)
            #expect(result.standardOutput.isEmpty)
            #expect(result.hasOneLineOfComplaint)
            keyring.shutdown()
        }
        let result = try tool("list")
        #expect(result.status == 0)
        #expect(result.standardOutput == "nothing is stored\n")
        #expect(try tool("list", "--json").standardOutput == "{\"project\":\"\(tool.project)\",\"slots\":[]}\n")
    }
}

/// Tests `list` with encrypted files, which have no names in old stores.
struct FileListTests {
    @Test("Slots are listed by name, unreadable files by file name or by a given name")
    func files() throws {
        let files = try FileStoreTests()
        #expect(try files.run("sign-in", "--anonymous").status == 0)
        let uid = try #require(try files.run("status", "--json").uid)
        let named = try files.run("list", "--json")
        guard case .array(let slots) = try named.json["slots"] else { Issue.record("\(named)"); return }
        #expect(slots.map { $0["appID"]?.string } == ["com.example.Mail"])
        #expect(slots.map { $0["uid"]?.string } == [uid])

        // A file that cannot be opened does not tell its slot.
        let key = RecordKey(
            scope: .app("com.example.Mail"),
            project: files.tool.project,
            instance: "default",
            kind: "user"
        )
        let store = EncryptedFileRecordStore(directory: files.directory, key: .keyFile(files.keyFile))
        let listed = try store.listRecords(
            ofProject: files.tool.project,
            instance: "default",
            kind: "user",
            by: .after(.seconds(10))
        )
        let name = try #require(listed.first { $0.isRecord(of: key) }?.file)
        let path = "\(files.directory)/\(name)"
        try Data("junk".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600, .modificationDate: Date(timeIntervalSince1970: 1_800_000_000)],
            ofItemAtPath: path
        )
        let text = try files.run("list")
        #expect(text.status == 0)
        #expect(
            text.standardOutput == """
                SLOT                                      ACCOUNTS  BYTES  CHANGED
                  USER  ISSUER  EXPIRES
                unnamed \(name.prefix(32))         ?      4  2027-01-15T08:00Z
                  ?
                  damaged: it does not begin as a record does

                """
        )
        let asked = try files.run("list", "--app", "com.example.Mail", "--app", "com.example.Other")
        #expect(asked.standardOutput.contains("own com.example.Mail"))
        #expect(asked.standardOutput.contains("damaged"))
        #expect(try files.run("list", "--app", "com.example.Other").standardOutput == "nothing is stored\n")
    }
}

extension Shell {
    /// Stores a user record in the app's own slot.
    fileprivate func put(_ payload: [UInt8]) throws {
        let store = keyring.makeStore()
        let key = RecordKey(scope: .app(appID), project: project, instance: "default", kind: "user")
        try store.update(key, by: .after(.seconds(20))) { _ in .write(payload) }
    }
}

extension String {
    /// The text with a placeholder for each time.
    fileprivate var withoutMinutes: String {
        replacing(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/, with: "----------------Z")
    }

    /// The width on a terminal, if the text has no wide characters except these.
    fileprivate var displayColumns: Int { count + filter { "人名前".contains($0) }.count }
}
