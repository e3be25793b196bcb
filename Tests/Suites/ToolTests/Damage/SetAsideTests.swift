import EncryptedFiles
import SecretService
import SharedAuth
import TestSupport
import Testing

struct SetAsideTests {
    @Test("Damaged keys fail sign-ins and doctor until they are set aside")
    func damagedKeys() throws {
        let tool = try Shell()
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try tool("sign-out").status == 0)
        let damaged = try tool.replaceRecord("identity-keys", with: "garbage")

        let refused = try tool("sign-in", "--anonymous")
        #expect(refused.status == 65)
        #expect(refused.hasOneLineOfComplaint)
        #expect(refused.standardError.contains("sharedauth set-aside identity-keys --project \(tool.project)"))
        let doctor = try Diagnosis(tool("doctor", "--json"))
        #expect(doctor.status == 65)
        #expect(doctor.verdicts["records"] == "bad")
        #expect(doctor["records"]?.message.contains("identity-keys") == true)
        #expect(doctor["records"]?.remedy?.contains("sharedauth set-aside identity-keys") == true)
        #expect(doctor["records"]?.message.contains("sharedauth set-aside") == false)

        // Without a terminal, there is no prompt.
        let unconfirmed = try tool("set-aside", "identity-keys")
        #expect(unconfirmed.status == 64)
        #expect(unconfirmed.standardError.contains("--yes"))
        #expect(try damaged.secret().bytes.elementsEqual("garbage".utf8))

        let done = try tool("set-aside", "identity-keys", "--yes", "--json")
        #expect(done.status == 0, "\(done.standardError)")
        #expect(try done.json["isSetAside"] == .bool(true))
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try Diagnosis(tool("doctor", "--json")).status == 0)
        let again = try tool("set-aside", "identity-keys", "--yes", "--json")
        #expect(again.status == 0)
        #expect(try again.json["isSetAside"] == .bool(false))
        #expect(try tool("token", "--force-refresh").status == 0)
    }

    @Test(
        "Setting aside an unknown record is a usage error",
        arguments: [["set-aside"], ["set-aside", "user", "--yes"], ["set-aside", "identity-accounts-16", "--yes"]]
    )
    func unknownRecord(_ arguments: [String]) throws {
        let tool = try Shell()
        #expect(try tool.bare(arguments + tool.identity).status == 64)
    }

    @Test("Empty keys fail a refresh as damaged, sign no user out; a sign-in renews them")
    func emptyKeys()
        throws
    {
        let tool = try Shell()
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        try tool.replaceRecord("identity-keys", with: "")
        let refresh = try tool("token", "--force-refresh")
        #expect(refresh.status == 65)
        #expect(try tool("status", "--json").uid == uid)
        #expect(try Diagnosis(tool("doctor", "--json")).status == 65)
        // The user is signed out, although the identity provider cannot identify the session.
        #expect(try tool("sign-out").status == 69)
        #expect(try tool("whoami").status == 67)
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try tool("token", "--force-refresh").status == 0)
        #expect(try Diagnosis(tool("doctor", "--json")).status == 0)
    }

    @Test("Doctor fails on a damaged user record of the slot in use", arguments: [nil, Shell.group])
    func damagedUser(_ group: String?) throws {
        let tool = try Shell()
        if let group { #expect(try tool("use-group", group).status == 0) }
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let good = try Diagnosis(tool("doctor", "--json"))
        #expect(good.status == 0)
        // The user, the keys, and one account record.
        #expect(good["records"]?.message == "All 3 records can be read.")
        try tool.replaceRecords(with: "SharedAuth1.AAAA")
        let bad = try Diagnosis(tool("doctor", "--json"))
        #expect(bad.status == 65)
        #expect(bad["records"]?.message.contains(group.map { "ccess group \($0)" } ?? "own slot") == true)
        #expect(bad["records"]?.remedy?.isEmpty == false)
        #expect(bad.verdicts["signals"] == "good")
    }

    @Test("Doctor fails on a damaged record of the app's own slot while a group is in use")
    func damagedOwnSlot() throws {
        let tool = try Shell()
        #expect(try tool("use-group", Shell.group).status == 0)
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let key = RecordKey(scope: .app(tool.appID), project: tool.project, instance: "default", kind: "user")
        let store = tool.keyring.makeStore()
        try store.update(key, by: .after(.seconds(20))) { _ in .write(Array("nonsense".utf8)) }
        let bad = try Diagnosis(tool("doctor", "--json"))
        #expect(bad.status == 65)
        #expect(bad["records"]?.message.contains("own slot") == true)
        #expect(try tool("status").status == 0)
    }

    @Test("Doctor lists the set-aside records of the app's users", arguments: [nil, Shell.group])
    func listsSetAside(_ group: String?) throws {
        let tool = try Shell()
        if let group { #expect(try tool("use-group", group).status == 0) }
        #expect(try tool("sign-in", "--anonymous").status == 0)
        for text in ["garbage", "more garbage"] {
            try tool.replaceRecord("user", with: text)
            #expect(try Diagnosis(tool("doctor", "--json"))["records"]?.verdict == "bad")
            #expect(try tool("sign-in", "--anonymous").status == 0)
        }
        let doctor = try Diagnosis(tool("doctor", "--json"))
        #expect(doctor.status == 0)
        let aside = doctor.findings.filter { $0.check == "aside" }
        #expect(aside.count == 2)
        for finding in aside {
            #expect(finding.verdict == "warning")
            #expect(finding.message.contains(group.map { "Access group \($0)" } ?? "own slot"))
            let item = try #require(finding.message.split(separator: " ").last?.dropLast())
            let service = tool.keyring.makeService()
            let bytes = try service.item(at: String(item)).secret().bytes
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("garbage"))
        }
    }

    @Test("Doctor fails on a damaged account record in encrypted files")
    func damagedAccountsInFiles() throws {
        let files = try FileStoreTests()
        #expect(try files.run("sign-in", "--anonymous").status == 0)
        let good = try Diagnosis(files.run("doctor", "--json"))
        #expect(good.status == 0)
        #expect(good.verdicts["records"] == "good")
        let store = EncryptedFileRecordStore(directory: files.directory, key: .keyFile(files.keyFile))
        for shard in 0..<16 {
            let kind = "identity-accounts-\(shard < 10 ? "0" : "")\(shard)"
            let key = RecordKey(scope: .project, project: files.tool.project, instance: "default", kind: kind)
            try store.update(key, by: .after(.seconds(10))) { stored in
                if case .whole = stored { .write(Array("nonsense".utf8)) } else { .keep }
            }
        }
        let bad = try Diagnosis(files.run("doctor", "--json"))
        #expect(bad.status == 65)
        #expect(bad["records"]?.message.contains("identity-accounts-") == true)
    }
}

extension Shell {
    /// Replaces a record of the project with a text, and returns its item.
    @discardableResult
    fileprivate func replaceRecord(_ kind: String, with text: String) throws -> SecretItem {
        let service = keyring.makeService()
        let found = try service.items(matching: ["sharedauth-project": project, "sharedauth-kind": kind])
        let item = try #require(found.unlocked.first)
        try item.setSecret(Secret(text))
        return item
    }
}
