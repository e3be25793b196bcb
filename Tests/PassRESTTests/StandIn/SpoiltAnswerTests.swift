import Foundation
import PassTestSupport
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Every flow, with each answer of each of its endpoints spoilt in every way.
@Suite(.timeLimit(.minutes(5)))
struct SpoiltAnswerTests {
    /// A row of the table: an endpoint, the flow that asks it, and the callback that ends the flow.
    struct Flow: Sendable, CustomTestStringConvertible {
        let endpoint: String
        let call: @Sendable (AccessEnabler) -> Void
        let end: String

        var testDescription: String { endpoint }

        init(_ endpoint: String, _ end: String, _ call: @escaping @Sendable (AccessEnabler) -> Void) {
            (self.endpoint, self.call, self.end) = (endpoint, call, end)
        }
    }

    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    /// Makes the call with each answer spoilt; each is to end, once, and to leave the sessions that are named.
    private func play(
        _ flow: Flow,
        _ app: ViewerApp,
        leaving sessions: [String],
        before: () async throws -> Void = {},
        check: (SpoilingRelay.Spoilt, [String]) -> Void = { _, _ in }
    ) async throws {
        var waits = standIn.relay.waits.makeAsyncIterator()
        for spoilt in SpoilingRelay.Spoilt.all {
            try await before()
            standIn.relay.spoil(flow.endpoint, spoilt)
            app.call(flow.call)
            if spoilt.form == .slow {
                await waits.next()
                app.timers.pass(.seconds(30))
            }
            let words = await app.words(until: flow.end)
            #expect(words.count { $0.hasPrefix(flow.end) } == 1, "\(spoilt)")
            #expect(words.last?.hasPrefix("\(flow.end)(1") == false, "\(spoilt): \(words)")
            check(spoilt, words)
            standIn.relay.stop()
            try #require(try app.signedIn == sessions, "\(spoilt)")
        }
    }

    static let ofSession = [
        Flow("/decisions/authorize/", "tokenRequestFailed") { $0.checkAuthorization("news-live") },
        Flow("/decisions/preauthorize/", "preauthorized") { $0.checkPreauthorizedResources(["a"], cache: false) },
        Flow("/configuration", "requestorComplete") { $0.setRequestor("ExampleNews") },
    ]

    @Test("However an answer is spoilt, the call ends and nobody is signed out", arguments: ofSession)
    func session(_ flow: Flow) async throws {
        let app = try standIn.app()
        try await app.start()
        try await app.signIn(at: standIn)
        try await play(flow, app, leaving: ["Cable"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }

    @Test("However an access token's answer is spoilt, nobody is signed out")
    func accessToken() async throws {
        let app = try standIn.app()
        try await app.start()
        try await app.signIn(at: standIn)
        let flow = Flow("/o/client/token", "tokenRequestFailed") { $0.checkAuthorization("news-live") }
        try await play(flow, app, leaving: ["Cable"]) {
            try await standIn.turn("forget", #"{"what": "access-tokens"}"#)
        }
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }

    @Test("However the answer to a sign-in is spoilt, it ends, and the next one is good")
    func signIn() async throws {
        let app = try standIn.app()
        try await app.start()
        let flow = Flow("/sessions", "authentication") { enabler in
            enabler.setSelectedProvider("Cable")
            enabler.getAuthentication()
        }
        try await play(flow, app, leaving: [])
        try await app.signIn(at: standIn)
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test("However the answer to a log-out is spoilt, the person is logged out here, and the app hears why")
    func logOut() async throws {
        let app = try standIn.app()
        try await app.start()
        let flow = Flow("/logout/", "loggedOut") { $0.logout() }
        try await play(flow, app, leaving: []) {
            // The server may still know the person.
            try await standIn.turn("forget", #"{"what": "profiles"}"#)
            try await app.signIn(at: standIn)
        } check: { spoilt, words in
            // An object that names no page is an answer.
            let isAnswer = spoilt.status == 200 && spoilt.form == .blank
            #expect(words.contains("status(LOGOUT500)") != isAnswer, "\(spoilt): \(words)")
        }
    }
}

/// Clocks and lives.
@Suite(.timeLimit(.minutes(2)))
struct SignInAgainTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    private func signedIn(_ life: Double, ahead: Double = 0) async throws -> ViewerApp {
        standIn.clock.now = Date(timeIntervalSince1970: 1_800_000_000.7)
        try await standIn.turn("clock", #"{"offset": \#(-ahead)}"#)
        try await standIn.turn("lifetimes", #"{"profile": \#(life), "authorization": 7200}"#)
        let app = try standIn.app()
        try await app.start()
        try await app.signIn(at: standIn)
        return app
    }

    @Test("A person who signs in again in the last second of a session gets the page", arguments: [0, 120, -120.0])
    func lastSecond(_ ahead: Double) async throws {
        let app = try await signedIn(600, ahead: ahead)
        standIn.clock.pass(598)
        #expect(await app.enabler.checkAuthentication().isAuthenticated)
        _ = await app.hear(until: "authentication(1)")
        standIn.clock.pass(1.6)
        _ = await app.enabler.checkAuthentication()
        app.call { $0.getAuthentication() }
        guard case .navigation(let page, _) = await app.hear(until: "navigation").last else { throw Unexpected() }
        app.enabler.handleExternalURL(try await standIn.signIn(at: page))
        #expect(await app.words(until: "authentication(1").last == "authentication(1)")
    }

    @Test("A clock that jumps leaves authorizations their lives", arguments: [10_800, -10_800.0])
    func jump(_ ahead: Double) async throws {
        let app = try await signedIn(86_400, ahead: ahead)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        let until = await app.enabler.getMetadata(.authorization(resource: "news-live")).value?.date
        #expect(abs((try #require(until)).timeIntervalSince(standIn.clock.now) - 7200) < 3)
        standIn.clock.pass(7300)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }

    @Test("A forced sign-in shows the page, although the server knows the person")
    func forced() async throws {
        let app = try await signedIn(86_400)
        app.call { $0.getAuthentication(true) }
        guard case .navigation(let page, _) = await app.hear(until: "navigation").last else { throw Unexpected() }
        app.enabler.handleExternalURL(try await standIn.signIn(at: page))
        #expect(await app.words(until: "authentication").last == "authentication(1)")
        #expect(try await standIn.count("logout") == 1)
    }

    @Test(
        "A resource with line ends or white space at its ends plays, from the server and from the store",
        arguments: ["<rss version=\"2.0\">\r\n<channel/>\r\n</rss>\r\n", "news-live\n", "TNT ", " a\tb"]
    )
    func resource(_ resource: String) async throws {
        let app = try await signedIn(86_400)
        for _ in 0..<2 {
            let token = try MediaToken(base64: try await app.enabler.checkAuthorization(resource))
            #expect(Array(token.resource.utf8) == Array(resource.utf8))
        }
        #expect(await app.enabler.getMetadata(.authorization(resource: resource)).value != nil)
        #expect(try await app.enabler.checkPreauthorizedResources([resource]) == [resource])
    }

    @Test("The stand-in's media tokens are good for five minutes")
    func mediaToken() async throws {
        let app = try await signedIn(86_400)
        let token = try MediaToken(base64: try await app.enabler.checkAuthorization("news-live"))
        #expect(abs(token.lifetime / .seconds(1) - 300) < 2)
    }
}
