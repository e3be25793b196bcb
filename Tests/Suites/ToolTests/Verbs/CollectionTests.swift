import SharedAuth
import TestSupport
import Testing

struct CollectionTests {
    @Test("New records are stored in the named collection, and other calls find them")
    func namedCollection() throws {
        let tool = try Shell(in: PrivateKeyring(withOpen: ["Office"]))
        let uid = try #require(try tool("sign-in", "--anonymous", "--json", "--collection", "Office").uid)
        #expect(try tool("status", "--json").uid == uid)
        let doctor = try tool("doctor", "--collection", "Office")
        #expect(doctor.standardOutput.contains("New records go to the collection Office"))
        #expect(doctor.status == 0)
        // The collection in the environment variable exists already.
        let there = try tool.bare(
            ["create-collection", "--json"] + tool.identity,
            environment: ["SHAREDAUTH_COLLECTION=Office"]
        )
        #expect(there.status == 0)
        #expect(try there.uid == uid)
    }

    @Test("Creating a missing collection prompts the user, which needs a display")
    func missingCollection() throws {
        let tool = try Shell()
        let signIn = try tool("sign-in", "--anonymous", "--collection", "Nowhere")
        #expect(signIn.status == 69)
        #expect(signIn.hasOneLineOfComplaint)
        #expect(signIn.standardError.contains("\"Nowhere\""))
        let doctor = try tool("doctor", "--collection", "Nowhere")
        #expect(doctor.status == 69)
        #expect(doctor.standardOutput.contains("sharedauth create-collection"))
        for naming in [["--collection", "Nowhere"], ["--collection-by-group", "--group", Shell.group]] {
            let creation = try tool.bare(["create-collection"] + naming + tool.identity)
            #expect(creation.status == 77)
            #expect(creation.hasOneLineOfComplaint)
        }
        #expect(try tool("status", "--json").json["state"] == .string("signed-out"))
    }

    @Test(
        "Contradicting options are usage errors",
        arguments: [
            ["create-collection"], ["create-collection", "--collection-by-group"],
            ["status", "--collection", "a", "--collection-by-group"],
            ["status", "--store", "file", "--key-file", "/x", "--collection", "a"],
        ]
    )
    func contradictingOptions(_ arguments: [String]) throws {
        let tool = try Shell()
        #expect(try tool.bare(arguments + tool.identity).status == 64)
    }
}
