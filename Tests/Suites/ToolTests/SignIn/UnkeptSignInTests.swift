import Foundation
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

    @Test(
        "A keyring that is lost while the page is open: the tool ends the session before it exits",
        arguments: [true, false]
    )
    func lostMeanwhile(isLocked: Bool) throws {
        let tool = try Shell(in: PrivateKeyring())
        let site = try FirebaseSite(in: tool.keyring)
        let issuer = try site.serveIssuer()
        let revocation = #", "revocation_endpoint": "\#(issuer.url)/revoke"}"#
        try site.answer("openid-configuration", issuer.configuration.dropLast() + revocation)
        try site.answer("revoke", "{}")
        let terminal = try Terminal(
            BuiltProducts.executable("sharedauth"),
            ["sign-in", "--oidc", issuer.url, "--client-id", "desktop"] + tool.identity,
            in: tool.keyring
        )
        try terminal.await("Waiting for the sign-in")
        let words = terminal.shown.split(whereSeparator: \.isWhitespace)
        let page = try #require(words.first { $0.contains("/authorize?") })
        let items = URLComponents(string: String(page))?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        let tokens = try issuer.tokens(nonce: query["nonce"] ?? "")
        try site.answer("exchange", "{\"refresh_token\": \"only-one\", " + tokens.dropFirst())
        if isLocked { try tool.keyring.lock() } else { try tool.keyring.killDaemon() }
        try site.visit("\(query["redirect_uri"] ?? "")?code=C&state=\(query["state"] ?? "")")
        let (status, shown) = try terminal.end()
        #expect(status == (isLocked ? 75 : 69), "\(shown)")
        #expect(try site.requests.contains { $0.contains(" revoke ") && $0.contains("token=only-one") })
    }
}
