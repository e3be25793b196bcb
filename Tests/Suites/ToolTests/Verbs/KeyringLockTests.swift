import SecretService
import SharedAuth
import TestSupport
import Testing

/// `lock` and `unlock`, with a keyring that shows no prompt.
struct KeyringLockTests {
    @Test("A collection of one's own is locked without a question")
    func ownCollection() throws {
        let keyring = try PrivateKeyring(withOpen: ["Office"])
        let tool = try Shell(in: keyring)
        _ = try tool.signIn(as: nil, "--collection", "Office")
        let locked = try tool("lock", "--collection", "Office")
        #expect(locked.status == 0, "\(locked.standardError)")
        #expect(locked.standardOutput == "collection  Office\nlocked      yes\n")
        #expect(try tool("whoami").status == 75)
        // It has no password, so nobody is asked for one.
        let unlocked = try tool("unlock", "--collection", "Office")
        #expect(unlocked.status == 0, "\(unlocked.standardError)")
        #expect(try tool("whoami").status == 0)
        let missing = try tool("lock", "--collection", "Nowhere")
        #expect(missing.status == 69)
        #expect(missing.standardError.contains("The collection \"Nowhere\" does not exist."))
        keyring.shutdown()
    }

    @Test("The default collection is every program's: it needs a yes, whatever name it is given by")
    func defaultCollection() throws {
        let keyring = try PrivateKeyring()
        let tool = try Shell(in: keyring)
        let service = keyring.makeService()
        let label = try service.defaultCollection().label()
        for naming in [[], ["--collection", label]] {
            let refused = try tool.bare(["lock"] + naming + tool.identity)
            #expect(refused.status == 64)
            #expect(refused.standardError.contains("Give --yes to lock the default collection"))
        }
        let terminal = try tool.terminal("lock")
        try terminal.await("Lock the default collection? No program can use its secrets until it is unlocked. [y/N] ")
        try terminal.type("n\r")
        #expect(try terminal.end().status == 77)
        #expect(try tool("status").status == 0)
        let locked = try tool("lock", "--yes", "--json")
        #expect(locked.standardOutput == #"{"collection":"\#(label)","locked":true}"# + "\n")
        #expect(try tool("status").status == 75)
        // Without a display nobody can be asked for the password.
        let refused = try tool("unlock")
        #expect(refused.status == 77)
        #expect(refused.hasOneLineOfComplaint)
        keyring.shutdown()
    }

    @Test("Unlocking what is open does nothing")
    func open() throws {
        let tool = try Shell()
        let uid = try tool.signIn()
        #expect(try tool("unlock", "--json").uid == uid)
    }

    @Test("Files have no lock")
    func files() throws {
        let files = try FileStoreTests()
        #expect(try files.run("lock", "--yes").status == 64)
        #expect(try files.run("unlock").status == 0)
    }
}
