import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

/// Tests several processes of the tool at a plain OAuth 2 server.
struct OAuthProcessTests {
    private let world: AppFixture
    private let site = OAuthSite()

    init() throws { world = try AppFixture(PrivateKeyring()) }

    private func run(_ arguments: [String], app: String = "com.example.Feeds") throws -> ProcessResult {
        try world.keyring.run(
            BuiltProducts.executable("sharedauth"),
            arguments + ["--app-id", app, "--project", world.project]
        )
    }

    /// Runs calls at the same time, each in its own process.
    private func runTogether(_ calls: [@Sendable () throws -> ProcessResult]) async throws -> [ProcessResult] {
        try await withThrowingTaskGroup(of: ProcessResult.self) { group in
            for call in calls {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread { continuation.resume(with: Result { try call() }) }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Processes that register at once share one client, with which every verb works")
    func registered() async throws {
        let server = try site.start()
        site.processes = 3
        let options = ["sign-in", "--oauth", server.address, "--register", "Feeds", "--scope", "read", "--device"]
        let results = try await runTogether(
            (1...3).map { number in { try run(options, app: "com.example.App\(number)") } }
        )
        for result in results { #expect(result.status == 0, "\(result.standardError)") }
        #expect(site.count(of: "/register") == 1)
        #expect(Set(site.clients) == ["client-1"])

        let app = "com.example.App1"
        let token = try run(["token", "--access", "--force-refresh", "--json"], app: app)
        #expect(token.status == 0, "\(token.standardError)")
        #expect(try run(["whoami"], app: app).standardOutput.contains("user-"))
        let revocations = site.count(of: "/revoke")
        let out = try run(["sign-out"], app: app)
        #expect(out.status == 0 && out.standardError.isEmpty, "\(out.standardError)")
        #expect(site.count(of: "/revoke") == revocations + 2)
        #expect(site.liveSessions == 2)
    }

    @Test("A session goes on with its client after another process has registered one")
    func refusedClient() throws {
        let server = try site.start()
        let options = ["sign-in", "--oauth", server.address, "--register", "Feeds", "--device"]
        let (app, other) = ("com.example.App1", "com.example.App2")
        let signIn = try run(options, app: app)
        #expect(signIn.status == 0, "\(signIn.standardError)")
        site.refusedClients = ["client-1"]
        #expect(try run(options, app: other).status != 0)
        let again = try run(options, app: other)
        #expect(again.status == 0, "\(again.standardError)")
        #expect(site.count(of: "/register") == 2)
        for app in [app, other] {
            let token = try run(["token", "--access", "--force-refresh"], app: app)
            #expect(token.status == 0, "\(token.standardError)")
            #expect(try run(["whoami"], app: app).standardOutput.contains("user-"))
        }
        #expect(site.liveSessions == 2)
    }

    @Test("Processes that need a new access token at once refresh it once")
    func refreshed() async throws {
        let (server, group) = (try site.start(), "group.com.example.office")
        let apps = (1...4).map { "com.example.App\($0)" }
        for app in apps { _ = try run(["use-group", group], app: app) }
        let words = ["sign-in", "--oauth", server.address, "--client-id", "desktop", "--device"]
        let signIn = try run(words, app: apps[0])
        #expect(signIn.status == 0, "\(signIn.standardError)")
        try await world.expireTokens(in: group)
        let results = try await runTogether(apps.map { app in { try run(["token", "--access"], app: app) } })
        for result in results { #expect(result.status == 0, "\(result.standardError)") }
        #expect(Set(results.map(\.standardOutput)).count == 1)
        #expect(site.refreshes == 1)
        // The sign-in has fetched the metadata for all of them.
        #expect(site.count(of: "/.well-known/oauth-authorization-server") == 1)
    }

    @Test("Later calls find the endpoints of a server without metadata in the keyring")
    func endpoints() throws {
        let server = try site.start()
        let options = [
            "sign-in", "--token-endpoint", "\(server.address)/token", "--device-endpoint", "\(server.address)/device",
            "--user-page", "\(server.address)/me", "--user-id", "user.id", "--client-id", "desktop", "--device",
        ]
        let signIn = try run(options)
        #expect(signIn.status == 0, "\(signIn.standardError)")
        #expect(try run(["whoami"]).standardOutput.contains("42"))
        let token = try run(["token", "--access", "--force-refresh"])
        #expect(token.status == 0, "\(token.standardError)")
        let out = try run(["sign-out"])
        #expect(out.status == 0 && out.standardError.contains("does not end sessions for an app"))
        #expect(site.count(of: "/.well-known/oauth-authorization-server") == 0)
    }

    @Test("The redirect address of a client registered by hand is named at a sign-in")
    func redirectAddress() throws {
        let server = try site.start()
        for (client, isNamed) in [(["--client-id", "desktop"], true), (["--register", "Feeds"], false)] {
            let terminal = try Terminal(
                BuiltProducts.executable("sharedauth"),
                ["sign-in", "--oauth", server.address, "--app-id", "com.example.Feeds", "--project", world.project]
                    + client,
                in: world.keyring
            )
            try terminal.await("Waiting for the sign-in")
            try terminal.type("\u{3}")
            #expect(try terminal.end().shown.contains("register http://127.0.0.1/callback") == isNamed)
        }
    }

    @Test("A token that never expires has no expiry in the tool's output")
    func forever() throws {
        let server = try site.start()
        site.givesLifetimes = false
        let signIn = try run(["sign-in", "--oauth", server.address, "--client-id", "desktop", "--device"])
        #expect(signIn.status == 0, "\(signIn.standardError)")
        let token = try run(["token", "--access", "--json"])
        #expect(token.status == 0, "\(token.standardError)")
        #expect(!token.standardOutput.contains("4001") && site.refreshes == 0)
        #expect(try !run(["token", "--access", "--exec-credential"]).standardOutput.contains("expirationTimestamp"))
        #expect(try !run(["list"]).standardOutput.contains("4001"))
    }
}

/// A plain OAuth 2 server on this machine, whose users grant every device code at once.
private final class OAuthSite: Sendable {
    private struct State {
        var asked: [String] = []
        var clients: [String] = []
        var refreshes = 0
        var count = 0
        /// The clients of the live sessions, by refresh token.
        var live: [String: String] = [:]
        var refusedClients: Set<String> = []
        var processes = 0
        var givesLifetimes = true
    }

    private let state = Mutex(State())
    private let discovered = Gate()

    /// The number of processes that ask for the metadata before a registration is answered.
    var processes: Int {
        get { state.withLock { $0.processes } }
        set { state.withLock { $0.processes = newValue } }
    }
    /// True if tokens expire, after an hour, and can be refreshed.
    var givesLifetimes: Bool {
        get { state.withLock { $0.givesLifetimes } }
        set { state.withLock { $0.givesLifetimes = newValue } }
    }
    /// The clients that cannot be signed in with.
    var refusedClients: Set<String> {
        get { state.withLock { $0.refusedClients } }
        set { state.withLock { $0.refusedClients = newValue } }
    }
    var clients: [String] { state.withLock { $0.clients } }
    var refreshes: Int { state.withLock { $0.refreshes } }
    var liveSessions: Int { state.withLock { $0.live.count } }
    func count(of path: String) -> Int { state.withLock { $0.asked.count { $0 == path } } }

    func start() throws -> LoopbackServer {
        try LoopbackServer(named: "OAuth") { [self] request in
            let address = "http://\(request.headers["Host"] ?? "")"
            let isComplete = state.withLock { state in
                state.asked.append(request.path)
                return state.asked.count { $0.hasPrefix("/.well-known/") } >= state.processes
            }
            if isComplete { discovered.open() }
            switch request.path {
            case "/.well-known/oauth-authorization-server": return .json(.object(metadata(address)))
            case "/register":
                await discovered.wait()
                let number = count(of: "/register")
                return .json(.object(["client_id": .string("client-\(number)")]), status: 201)
            case "/device":
                state.withLock { $0.clients.append(request.form["client_id"] ?? "") }
                return .json(
                    .object([
                        "device_code": "device", "user_code": "AB", "interval": 1,
                        "verification_uri": .string("\(address)/enter"),
                    ])
                )
            case "/token": return tokens(request.form)
            case "/userinfo":
                let token = (request.headers["Authorization"] ?? "").trimmingPrefix("Bearer access-")
                return .json(.object(["sub": .string("user-\(token)")]))
            case "/me": return .json(.object(["user": .object(["id": 42])]))
            case "/revoke":
                _ = state.withLock { $0.live.removeValue(forKey: request.form["token"] ?? "") }
                return ServedAnswer()
            default: return ServedAnswer(status: 404)
            }
        }
    }

    private func metadata(_ address: String) -> [String: JSONValue] {
        let paths = [
            "token_endpoint": "token", "device_authorization_endpoint": "device", "registration_endpoint": "register",
            "userinfo_endpoint": "userinfo", "revocation_endpoint": "revoke", "authorization_endpoint": "authorize",
        ]
        return paths.mapValues { .string("\(address)/\($0)") }.merging(["issuer": .string(address)]) { $1 }
    }

    private func tokens(_ form: FormFields) -> ServedAnswer {
        let (client, isRefresh) = (form["client_id"] ?? "", form["grant_type"] == "refresh_token")
        if !isRefresh, refusedClients.contains(client) {
            return .json(.object(["error": "invalid_client"]), status: 401)
        }
        let members: [String: JSONValue]? = state.withLock { state in
            if isRefresh {
                state.refreshes += 1
                guard state.live.removeValue(forKey: form["refresh_token"] ?? "") == client else { return nil }
            }
            state.count += 1
            state.live["refresh-\(state.count)"] = client
            var members: [String: JSONValue] = [
                "access_token": .string("access-\(state.count)"), "token_type": "Bearer",
            ]
            if state.givesLifetimes {
                members["refresh_token"] = .string("refresh-\(state.count)")
                members["expires_in"] = 3600
            }
            return members
        }
        return members.map { .json(.object($0)) } ?? .json(.object(["error": "invalid_grant"]), status: 400)
    }
}
