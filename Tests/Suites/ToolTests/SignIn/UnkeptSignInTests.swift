import TestSupport
import Testing

/// Tests sign-ins of the tool whose result could not be kept. At the issuer's address nobody answers, so that a request
/// would have another status.
struct UnkeptSignInTests {
    private let signIn = ["sign-in", "--oidc", "http://127.0.0.1:9", "--client-id", "desktop"]

    @Test(
        "A locked or absent keyring is told before the issuer is asked",
        arguments: [
            (PrivateKeyring.State.locked, 75 as Int32), (.noDaemon, 69), (.noDefaultCollection, 69),
        ],
        [[], ["--device"]]
    )
    func keyring(_ state: (PrivateKeyring.State, status: Int32), options: [String]) throws {
        let tool = try Shell(in: PrivateKeyring(state: state.0))
        let result = try tool.keyring.run(BuiltProducts.executable("sharedauth"), signIn + options + tool.identity)
        #expect(result.status == state.status, "\(result.standardError)")
        #expect(!result.standardError.contains("127.0.0.1:9"), "\(result.standardError)")
        #expect(result.standardError.contains("keyring") || result.standardError.contains("collection"))
    }

    @Test("A full disk is told before the issuer is asked", arguments: [[], ["--device"]])
    func disk(options: [String]) throws {
        let tool = try Shell()
        let site = try FileSite(in: "\(tool.keyring.directory)/files-\(tool.project)")
        let place = "\(tool.keyring.directory)/small"
        let store = ["--store", "file", "--store-directory", "\(place)/store", "--key-file", site.keyFile]
        let small = ["--dev-bind", "/", "/", "--size", "4096", "--tmpfs", place, "--"]
        let program = try BuiltProducts.executable("sharedauth")
        let result = try tool.keyring.run("bwrap", small + [program] + signIn + options + store + tool.identity)
        #expect(result.status == 70, "\(result.standardError)")
        #expect(result.standardError.contains("No space left"), "\(result.standardError)")
    }
}
