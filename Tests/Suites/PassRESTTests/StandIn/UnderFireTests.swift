import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// The server fails, lies, hangs and dies: each flow ends once, as documented, and no token is lost.
@Suite(.timeLimit(.minutes(2)))
struct UnderFireTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    /// Returns a signed-in app that has made no further calls.
    private func signedIn() async throws -> ViewerApp {
        let app = try standIn.app()
        try await app.start()
        try await app.signIn(at: standIn)
        return app
    }

    @Test("On a second screen, polling continues through spoilt responses")
    func poll() async throws {
        let app = try standIn.app(screen: .second)
        try await app.start()
        try await standIn.spoil("profile-of-code", "failure", times: 2)
        app.enabler.setSelectedProvider("Cable")
        app.call { $0.getAuthentication() }
        guard case .status(let report) = await app.hear(until: "status(REGCODE)").last else { throw Unexpected() }
        let code = try #require(report.registrationCode)
        _ = try await standIn.signIn(at: "\(standIn.server.address)/api/v2/authenticate/ExampleNews/\(code)")
        app.timers.pass(.seconds(10))
        app.timers.pass(.seconds(10))
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
    }

    @Test("A server that never responds costs a call its time limit and no more")
    func silence() async throws {
        let app = try await signedIn()
        try await standIn.spoil("authorize", "silence")
        app.call { $0.checkAuthorization("news-live") }
        let request = await standIn.server.events.first { event in
            if case .request(_, _, let path) = event { path.hasSuffix("/authorize/Cable") } else { false }
        }
        #expect(request != nil)
        app.timers.pass(.seconds(30))
        #expect(
            await app.words(until: "tokenRequestFailed")
                == ["status(Z120)", "tokenRequestFailed(Generic Authorization Error)"]
        )
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        #expect(try await app.enabler.checkPreauthorizedResources(["kids-live"]) == ["kids-live"])
    }

    @Test(
        "Without a server each call ends, no token is lost, and a log-out works"
    )
    func gone() async throws {
        let app = try await signedIn()
        try await standIn.turn("forget", #"{"what": "profiles"}"#)
        app.call { $0.getAuthentication(true) }
        _ = await app.hear(until: "navigation")
        standIn.server.stop()
        app.enabler.handleExternalURL(try #require(standIn.redirects.events.last))
        _ = await app.hear(until: "authentication(0")
        app.call { $0.checkAuthorization("news-live") }
        #expect(
            await app.words(until: "tokenRequestFailed")
                == ["status(Z120)", "tokenRequestFailed(Generic Authorization Error)"]
        )
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        _ = await app.hear(until: "authentication(1)")
        app.call { $0.setRequestor("ExampleNews") }
        #expect(await app.words(until: "requestorComplete") == ["status(CFG404)", "requestorComplete(0)"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        // A log-out needs no server.
        #expect(await app.enabler.logout() == .failed("User Not Authenticated Error"))
    }

    @Test(
        "An expired or revoked statement is R400, also while the app runs",
        arguments: ["expired", "revoked"]
    )
    func statement(_ how: String) async throws {
        let order = #"{"application": "app", "lifetime": 60}"#
        let issued = try await standIn.post(
            "/control/issue-statement",
            json: try #require(JSONValue(bytes: order.utf8))
        )
        let statement = try #require(issued.json?["statement"]?.string)
        let app = try standIn.app(statement: statement)
        try await app.start()
        try await app.signIn(at: standIn)
        if how == "expired" {
            standIn.clock.advance(by: 61)
            try await standIn.turn("forget", #"{"what": "clients"}"#)
        } else {
            try await standIn.turn("revoke-statement", #"{"statement": "\#(statement)"}"#)
        }
        app.call { $0.checkAuthorization("news-live") }
        #expect(await app.words(until: "tokenRequestFailed").last == "tokenRequestFailed(Internal Authorization Error)")
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        _ = await app.hear(until: "authentication(1)")
        app.call { $0.setRequestor("ExampleNews") }
        #expect(await app.words(until: "requestorComplete") == ["status(R400)", "requestorComplete(0)"])
        let restarted = try standIn.app(statement: statement)
        restarted.call { $0.setRequestor("ExampleNews") }
        #expect(await restarted.words(until: "requestorComplete") == ["status(R400)", "requestorComplete(0)"])
        #expect(try restarted.signedIn == ["Cable"])
    }

    @Test("A statement unknown to the server is R400 and thrown")
    func foreignStatement() async throws {
        let app = try standIn.app(statement: "nonsense")
        await #expect(throws: EntitlementError.self) { try await app.enabler.setRequestor("ExampleNews") }
        #expect(await app.words(until: "requestorComplete") == ["status(R400)", "requestorComplete(0)"])
    }

    @Test("A server that has forgotten its access tokens disturbs no call")
    func forgottenTokens() async throws {
        let app = try await signedIn()
        try await standIn.turn("forget", #"{"what": "access-tokens"}"#)
        let enabler = app.enabler
        async let one = enabler.checkAuthorization("news-live")
        async let two = enabler.checkAuthorization("kids-live")
        _ = try await (one, two)
        #expect(try await standIn.count("register") == 1)
        #expect(try await standIn.count("token") == 2)
    }

    @Test("A server that has forgotten its clients makes the app register once")
    func forgottenClients() async throws {
        let app = try await signedIn()
        try await standIn.turn("forget", #"{"what": "clients"}"#)
        for resource in ["a", "b", "c"] { app.call { $0.checkAuthorization(resource) } }
        _ = await app.hear(until: "authentication(0")
        #expect(try await standIn.count("register") == 2)
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
        try await app.signIn(at: standIn)
        _ = try await app.enabler.checkAuthorization("a")
        #expect(try await standIn.count("register") == 2)
    }

    @Test("An app that setRequestor registers again is notified that its session is over")
    func forgottenAtResync() async throws {
        let app = try await signedIn()
        try await standIn.turn("forget", #"{"what": "clients"}"#)
        try await app.enabler.setRequestor("ExampleNews")
        #expect(
            await app.words(until: "authentication") == [
                "requestorComplete(1)", "authentication(0, User Not Authenticated Error)",
            ]
        )
        let old = try app.enabler.tokens.contents().tokens.map(\.token)
        try await app.signIn(at: standIn)
        let new = try app.enabler.tokens.contents().tokens.map(\.token)
        #expect(old.count == 1 && new.count == 1 && old != new)
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test("With a service token, an app survives a server that has forgotten its clients")
    func forgottenClientsOfAPerson() async throws {
        let person = standIn.serviceToken(of: "ada")
        let app = try standIn.app { $0.serviceToken = person }
        try await app.start()
        try await app.signIn(at: standIn)
        try await standIn.turn("forget", #"{"what": "clients"}"#)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        #expect(try await standIn.count("register") == 2)
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test("A device that calls too often is throttled and notified")
    func throttled() async throws {
        let app = try await signedIn()
        try await standIn.turn("throttle", #"{"rate": 1, "burst": 1}"#)
        _ = try await app.enabler.checkAuthorization("news-live")
        _ = await app.hear(until: "token")
        app.call { $0.checkAuthorization("kids-live") }
        #expect(await app.words(until: "tokenRequestFailed").first == "status(Z100)")
        standIn.clock.advance(by: 2)
        _ = try await app.enabler.checkAuthorization("kids-live")
    }

    @Test("A clock that is an hour off is reported, and the flows continue", arguments: [3600, -3600])
    func clock(_ offset: Int) async throws {
        try await standIn.turn("clock", #"{"offset": \#(offset)}"#)
        let app = try standIn.app()
        try await app.enabler.setRequestor("ExampleNews")
        #expect(await app.words(until: "requestorComplete") == ["status(CFG100)", "requestorComplete(1)"])
        try await app.signIn(at: standIn)
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        _ = try await app.enabler.checkAuthorization("news-live")
    }
}
