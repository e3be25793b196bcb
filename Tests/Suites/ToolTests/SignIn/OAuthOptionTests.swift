import TestSupport
import Testing

struct OAuthOptionTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    @Test(
        "Options that do not fit a sign-in at an OAuth 2 server are refused at once",
        arguments: [
            (["--token-endpoint", "https://a.example/t", "--client-id", "a"], "--authorization-endpoint"),
            (["--token-endpoint", "https://a.example/t", "--client-id", "a", "--device"], "--device-endpoint"),
            (["--token-endpoint", "https://a.example/t", "--register", "Feeds"], "--authorization-endpoint"),
            (
                ["--oauth", "https://a.example", "--register", "Feeds", "--client-secret-stdin"],
                "--client-secret-stdin"
            ),
        ]
    )
    func refused(_ options: [String], _ words: String) throws {
        let page = options[0] == "--oauth" ? [] : ["--user-page", "https://a.example/u"]
        let result = try tool.bare(["sign-in"] + options + page + tool.identity)
        #expect(result.status == 64 && result.standardError.contains(words), "\(result.standardError)")
    }
}
