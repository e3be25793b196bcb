import SecretService
import SharedAuth
import TestSupport
import Testing

/// Tests `lock` and `unlock`, with a keyring that shows no prompt.
struct KeyringLockTests {
    @Test("An app's own collection is locked without a prompt")
    func ownCollection() throws {
        let keyring = try PrivateKeyring(withOpen: ["Office"])
        let tool = try Shell(in: keyring)
        _ = try tool.signIn(as: nil, "--collection", "Office")
        let locked = try tool("lock", "--collection", "Office")
        #expect(locked.status == 0, "\(locked.standardError)")
        #expect(locked.standardOutput == "collection  Office\nlocked      yes\n")
        // The collection has no password, so each program that reads it has it opened, and there is no prompt for it.
        #expect(try tool("whoami").status == 0)
        #expect(try tool("lock", "--collection", "Office").status == 0)
        let unlocked = try tool("unlock", "--collection", "Office")
        #expect(unlocked.status == 0, "\(unlocked.standardError)")
        #expect(try tool("whoami").status == 0)
        let missing = try tool("lock", "--collection", "Nowhere")
        #expect(missing.status == 69)
        #expect(missing.standardError.contains("The collection \"Nowhere\" does not exist."))
        keyring.shutdown()
    }

    @Test("Locking the default collection requires --yes or a yes, also if named by label")
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
        // Without a display, there is no prompt for the password.
        let refused = try tool("unlock")
        #expect(refused.status == 77)
        #expect(refused.hasOneLineOfComplaint)
        keyring.shutdown()
    }

    @Test("Unlocking an unlocked collection does nothing")
    func open() throws {
        let tool = try Shell()
        let uid = try tool.signIn()
        #expect(try tool("unlock", "--json").uid == uid)
    }

    @Test("A file store cannot be locked, and unlocking it does nothing")
    func files() throws {
        let files = try FileStoreTests()
        #expect(try files.run("lock", "--yes").status == 64)
        #expect(try files.run("unlock").status == 0)
    }
}
