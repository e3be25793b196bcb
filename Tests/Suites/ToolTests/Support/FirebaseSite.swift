import FoundationEssentials
import Glibc
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// The stand-in for Firebase in a separate process. The tool calls it as an emulator, and a test reads the calls.
///
/// Its methods block, as tests of the tool do. The other process needs no thread of this one to reply.
final class FirebaseSite: Sendable {
    /// The host and port, for `--emulator`.
    let address: String
    private let child: ChildProcess
    private let stream: Int32

    init(in keyring: PrivateKeyring) throws {
        let streams = try SocketPair()
        defer { close(streams.theirs) }
        stream = streams.ours
        child = try keyring.start(
            try BuiltProducts.executable("TestFirebase"),
            [],
            input: streams.theirs,
            output: streams.theirs
        )
        let url = nextLine(from: streams.ours)
        address = String(url.split(separator: "/").last ?? "")
    }

    deinit {
        close(stream)
        child.end()
    }

    /// A command without a reply of the program.
    private struct NoAnswer: Error {
        let words: [String]
    }

    /// Sends a command, and returns the reply.
    @discardableResult
    private func order(_ words: String...) throws -> JSONValue {
        var line = Array(try JSONEncoder().encode(words)) + [UInt8(ascii: "\n")]
        guard unsafe send(stream, &line, line.count, Int32(MSG_NOSIGNAL)) == line.count,
            let answer = JSONValue(bytes: nextLine(from: stream).utf8)
        else { throw NoAnswer(words: words) }
        return answer
    }

    private func texts(_ words: String) throws -> [String] {
        guard case .array(let values) = try order(words) else { throw NoAnswer(words: [words]) }
        return values.compactMap(\.string)
    }

    /// Stops replying to calls.
    func stop() throws { try order("stop") }

    // MARK: Calls and responses

    /// The key, the end of the path and the body of each call.
    var requests: [String] { get throws { try texts("requests") } }

    /// Returns the last response to a call whose path has this suffix.
    func lastAnswer(_ name: String) throws -> JSONObject? { JSONObject(try order("answered", name)) }

    /// Refuses the next call whose path has this suffix.
    func refuse(_ name: String, _ word: String) throws { try order("refuse", name, word) }

    /// Sets the response to all calls whose path has this suffix.
    func answer(_ name: String, _ json: String) throws { try order("answer", name, json) }

    /// Also serves an OpenID provider at this address, except for the exchange of codes.
    func serveIssuer() throws -> SmallIssuer {
        let issuer = SmallIssuer(url: "http://\(address)")
        try answer("openid-configuration", issuer.configuration)
        try answer("keys", issuer.keys)
        return issuer
    }

    /// Accepts an ID token as one of another service, for a new user.
    func accept(idToken token: String, at providerID: String) throws {
        try order("accept", token, UUID().uuidString, providerID)
    }

    // MARK: Accounts

    /// Creates an account with an address and a password.
    func addAccount(_ uid: String, _ email: String, _ password: String, hasFactor: Bool) throws {
        try order("account", uid, email, password, hasFactor ? "factor" : "")
    }

    /// The current code of the second factor, which is the same for all accounts.
    var oneTimePassword: String { get throws { try order("one-time-password").string ?? "" } }

    /// The code of the last mail.
    var lastCode: String? { get throws { try order("mailed-code").string } }

    /// The users, in the order in which they were created.
    var uids: [String] { get throws { try texts("uids") } }

    /// Returns the refresh token of a user's session.
    func refreshToken(of uid: String) throws -> String? { try order("refresh-token", uid).string }

    /// Returns a custom token, as a back end of the project creates it.
    func customToken(_ uid: String) throws -> String { try #require(try order("custom-token", uid).string) }

    /// Returns the user of an ID token.
    static func holder(of idToken: String) -> String? {
        let parts = idToken.split(whereSeparator: \.isNewline).joined().split(separator: ".")
        return parts.count == 3 ? Base64URL.decode(parts[1].utf8).flatMap { JSONObject($0) }?.string("sub") : nil
    }

    // MARK: Browser

    /// Signs a new user in at a page of another service, and returns the address and query of the redirect.
    func signIn(at page: String) throws -> (address: String, query: String) {
        let location = try #require(try order("sign-in", UUID().uuidString, page).string)
        let parts = location.split(separator: "?", maxSplits: 1).map(String.init)
        try #require(parts.count == 2)
        return (parts[0], parts[1])
    }

    /// Opens an address on this machine in a browser.
    func visit(_ address: String) throws { try order("visit", address) }

    /// Returns a port at which no program listens.
    func freePort() throws -> Int { Int(try #require(try order("free-port").number)) }
}
