import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Ends of lifetimes, clocks that differ or jump, and forced sign-ins.
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

    @Test("A sign-in in the last second of a session shows the page", arguments: [0, 120, -120.0])
    func lastSecond(_ ahead: Double) async throws {
        let app = try await signedIn(600, ahead: ahead)
        standIn.clock.advance(by: 598)
        #expect(await app.enabler.checkAuthentication().isAuthenticated)
        _ = await app.hear(until: "authentication(1)")
        standIn.clock.advance(by: 1.6)
        _ = await app.enabler.checkAuthentication()
        _ = await app.hear(until: "authentication")
        app.call { $0.getAuthentication() }
        // An event for the end of the session may be received once before.
        let last = await app.hear(until: "navigation").last
        guard case .navigation(let page, _) = last else {
            Issue.record("\(String(describing: last)) in place of a page")
            return
        }
        app.enabler.handleExternalURL(try await standIn.signIn(at: page))
        #expect(await app.words(until: "authentication(1").last == "authentication(1)")
    }

    @Test("A clock jump does not change authorization lifetimes", arguments: [10_800, -10_800.0])
    func jump(_ ahead: Double) async throws {
        let app = try await signedIn(86_400, ahead: ahead)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        let until = await app.enabler.getMetadata(.authorization(resource: "news-live")).value?.date
        #expect(abs((try #require(until)).timeIntervalSince(standIn.clock.now) - 7200) < 3)
        standIn.clock.advance(by: 7300)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }

    @Test("A forced sign-in shows the page, although the server knows the user")
    func forced() async throws {
        let app = try await signedIn(86_400)
        app.call { $0.getAuthentication(true) }
        guard case .navigation(let page, _) = await app.hear(until: "navigation").last else { throw Unexpected() }
        app.enabler.handleExternalURL(try await standIn.signIn(at: page))
        #expect(await app.words(until: "authentication").last == "authentication(1)")
        #expect(try await standIn.count("logout") == 1)
    }

    @Test(
        "A resource with white space at its ends plays, from server and store",
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

    @Test("The stand-in's media tokens are valid for five minutes")
    func mediaToken() async throws {
        let app = try await signedIn(86_400)
        let token = try MediaToken(base64: try await app.enabler.checkAuthorization("news-live"))
        #expect(abs(token.lifetime / .seconds(1) - 300) < 2)
    }
}
