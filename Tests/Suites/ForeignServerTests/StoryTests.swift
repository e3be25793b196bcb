import Foundation
import OpenIDConnect
import SharedAuth
import TestSupport
import Testing

/// The articles *Sign In with OpenID Connect* and *Sign In at an OAuth 2 Server*, from the registration to the sign-out,
/// with the tool as the apps.
extension AtForeignServers {
    struct StoryTests {
        @Test("Two apps live through the article at a server", arguments: ForeignProject.all)
        func story(_ server: ForeignProject) async throws {
            let story = try Story(server)
            if !server.isPlain { try await story.step("registration") { try await $0.register() } }
            try await story.step("sign-in by browser") { try await $0.signIn(inChromium: true) }
            try await story.step("second app") { try $0.joins() }
            try await story.step("refresh") { try $0.refreshes() }
            try await story.step("scope refused") { try $0.isRefusedScope() }
            try await story.step("fewer scopes") { try $0.getsFewerScopes() }
            try await story.step("two processes at one expiry") { try await $0.refreshesOnce() }
            if server.isPlain { try await story.step("services") { try await $0.namesServices() } }
            if server.outlivesKeys { try await story.step("key rotation") { try await $0.outlivesKeys() } }
            try await story.step("end by the administrator") { try await $0.isEnded() }
            try await story.step(server.offersDeviceCodes ? "sign-in by code" : "sign-in again") {
                try await $0.signIn(byCode: server.offersDeviceCodes)
            }
            try await story.step("sign-out") { try await $0.signOut() }
            story.end()
        }
    }
}

/// Two apps of an access group that use one server.
private final class Story {
    static let group = "group.com.example.office"
    private static let service = "https://office.example.com/"
    private static let (mail, calendar) = ("com.example.Mail", "com.example.Calendar")

    private let server: ForeignProject
    private let world: AppFixture
    private let tool: String
    private let issuerURL: String
    /// The port of the redirect address, which some servers compare.
    private let port: String
    private var clientID = ""
    private var (seconds, steps) = (0.0, [String]())

    init(_ server: ForeignProject) throws {
        self.server = server
        issuerURL = try server.issuerURL()
        world = try AppFixture()
        tool = try BuiltProducts.executable("sharedauth")
        port = try #require(ProcessInfo.processInfo.environment["FOREIGN_PORT"])
        for app in [Self.mail, Self.calendar] { try run(app, "use-group", Self.group) }
    }

    private var client: OpenIDClient { OpenIDClient(issuerURL: issuerURL, clientID: clientID) }

    /// The words of the tool for a sign-in; the first one at a plain server registers a client.
    private var signInWords: [String] {
        server.isPlain
            ? ["sign-in", "--oauth", issuerURL, "--register", "Office", "--resource", Self.service]
            : ["sign-in", "--oidc", issuerURL, "--client-id", clientID]
    }

    /// Makes the tokens count as expired. Returns their refresh token.
    @discardableResult
    private func expireTokens() async throws -> String? { try await world.expireTokens(in: Self.group) }

    /// Performs a step, and notes its seconds.
    func step(_ name: String, _ perform: (Story) async throws -> Void) async throws {
        let begin = ContinuousClock.now
        try await perform(self)
        let duration = (ContinuousClock.now - begin) / .seconds(1)
        seconds += duration
        steps.append("\(name) \(duration.inTenths)")
    }

    /// Prints the seconds.
    func end() {
        print("\(server.name): \(seconds.inTenths) s:", steps.joined(separator: ", "))
        #expect(seconds < 30, "\(server.name)")
    }

    @discardableResult
    private func run(_ app: String, _ arguments: String..., status: Int32? = 0) throws -> ProcessResult {
        try run(app, arguments, status: status)
    }

    @discardableResult
    private func run(_ app: String, _ arguments: [String], status: Int32? = 0) throws -> ProcessResult {
        let result = try world.keyring.run(tool, arguments + options(app))
        if let status { #expect(result.status == status, "\(arguments): \(result.standardError)") }
        return result
    }

    private func options(_ app: String) -> [String] { ["--app-id", app, "--project", world.project] }

    /// Registers the redirect address that doctor names.
    func register() async throws {
        let provider = ["--oidc", issuerURL, "--client-id", "none-yet", "--redirect-port", port]
        let examined = try run(Self.mail, ["doctor"] + provider).standardOutput
        let address = try #require(examined.firstMatch(of: #/http://127\.0\.0\.1:\d+/callback(?:/[0-9a-f]{12})?/#))
        clientID = try await server.order("register", "redirect_uri=\(address.output)")
    }

    /// The words of the tool that print a token which each refresh returns.
    private var token: [String] { server.refreshesIDTokens ? ["token"] : ["token", "--access"] }

    /// Signs the user in, in the browser or by a device code.
    func signIn(byCode: Bool = false, inChromium: Bool = false) async throws {
        let way = byCode ? ["--device"] : ["--redirect-port", port]
        let arguments = signInWords + way + server.options
        let terminal = try Terminal(tool, arguments + options(Self.mail), in: world.keyring)
        try terminal.await("Waiting for the sign-in")
        if byCode {
            let shown = try #require(terminal.shown.firstMatch(of: #/Open (http\S+)[^\n]*\n\S*\s*(\S+)\n/#))
            try await PersonProgram.act("code", server.name, String(shown.1), String(shown.2))
        } else {
            let words = terminal.shown.split(whereSeparator: \.isWhitespace)
            let address = String(try #require(words.first { $0.contains("client_id=") }))
            if !inChromium || server.steps.isEmpty || !AtForeignServers.ChromiumTests.isInstalled {
                try await PersonProgram.act("page", server.name, address)
            } else {
                let picture = ProcessInfo.processInfo.environment["FOREIGN_LOGS"].map { "\($0)/\(server.name)" } ?? ""
                try await PersonProgram.act(["pages", address, picture] + server.steps)
            }
        }
        let (status, shown) = try terminal.end()
        #expect(status == 0, "\(shown)")
    }

    /// The second app sees the user, and doctor finds nothing to mend.
    func joins() throws {
        #expect(try run(Self.calendar, "whoami").standardOutput == run(Self.mail, "whoami").standardOutput)
        try expectHealth()
    }

    private func expectHealth() throws {
        let doctor = try Diagnosis(run(Self.mail, "doctor", "--json"))
        #expect(doctor.checks("bad").isEmpty, "\(doctor.text)")
    }

    /// The second app refreshes with one request; the first one has the new token.
    func refreshes() throws {
        let requests = try server.tokenRequests()
        let refreshed = try run(Self.calendar, token + ["--force-refresh"]).standardOutput
        #expect(try run(Self.mail, token).standardOutput == refreshed)
        #expect(try server.tokenRequests() == requests + 1)
        #expect(try run(Self.mail, "token", "--access").standardOutput.count > 20)
    }

    /// A scope that the server does not grant is refused, and both apps stay signed in.
    func isRefusedScope() throws {
        let refusal = try run(Self.mail, "token", "--access", "--scope", "forbidden", status: 77).standardError
        #expect(!refusal.contains("Try again later"), "\(refusal)")
        for app in [Self.mail, Self.calendar] { try run(app, token) }
    }

    /// An access token of fewer scopes costs the session nothing, unless the server narrows the whole session.
    func getsFewerScopes() throws {
        guard !server.narrowsSessions, !server.hasOneScope else { return }
        #expect(try run(Self.mail, "token", "--access", "--scope", "email").standardOutput.count > 20)
        try run(Self.mail, "token", "--force-refresh")
    }

    /// Two processes find expired tokens, and one of them refreshes.
    func refreshesOnce() async throws {
        try await expireTokens()
        let requests = try server.tokenRequests()
        let (keyring, tool) = (world.keyring, tool)
        let calls = [Self.mail, Self.calendar].map { token + options($0) }
        let results = try await withThrowingTaskGroup(of: ProcessResult.self) { processes in
            for call in calls { processes.addTask { try keyring.run(tool, call) } }
            return try await processes.reduce(into: []) { $0.append($1) }
        }
        for result in results { #expect(result.status == 0, "\(result.standardError)") }
        #expect(Set(results.map(\.standardOutput)).count == 1, "\(results)")
        #expect(try server.tokenRequests() == requests + 1)
    }

    /// The tokens are for the service that the apps name.
    func namesServices() async throws { #expect(try await server.order("services") == Self.service) }

    /// The administrator gives the server new keys, and the session goes on.
    func outlivesKeys() async throws {
        let former = try run(Self.mail, token).standardOutput
        try await server.order("rotate_keys")
        let next = try run(Self.mail, token + ["--force-refresh"]).standardOutput
        let headers = [former, next].map { $0.prefix { $0 != "." } }
        #expect(headers[0] != headers[1])
        try expectHealth()
    }

    /// The administrator ends the session. The apps are told to sign in again as soon as their tokens have expired.
    func isEnded() async throws {
        try await server.order("end_sessions")
        try await expireTokens()
        let refusal = try run(Self.mail, token, status: 77).standardError
        #expect(refusal.contains("ign in again") && !refusal.contains("Try again later"), "\(refusal)")
        let other = try run(Self.calendar, token, status: nil)
        #expect([67, 77].contains(other.status) && !other.standardError.contains("Try again later"), "\(other)")
    }

    /// One app signs out, and so is the other. The refresh token is worth nothing, if the server can revoke it.
    func signOut() async throws {
        let refreshToken = try await expireTokens()
        let said = try run(Self.mail, "sign-out").standardError
        try run(Self.calendar, "whoami", status: 67)
        if let reason = server.keepsSession {
            #expect(said.contains(reason), "\(said)")
        } else if server.isPlain {
            #expect(said == "")
            #expect(try await server.order("live_sessions") == "0")
        } else {
            #expect(said == "")
            let tokens = UserTokens(idToken: nil, refreshToken: refreshToken, expirationDate: Date())
            await #expect(throws: AuthError.self) { try await OpenIDConnect(client).refresh(tokens, scopes: []) }
        }
    }
}

extension Double {
    fileprivate var inTenths: String { formatted(.number.precision(.fractionLength(1))) }
}
