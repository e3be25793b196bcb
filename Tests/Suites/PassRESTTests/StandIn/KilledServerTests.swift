import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// The server is a separate process that is killed by `kill -9`: each flow ends once, as documented, and no token is
/// lost.
@Suite(.timeLimit(.minutes(3)))
struct KilledServerTests {
    /// The moment at which the server dies.
    enum Moment: CaseIterable {
        case afterTheRedirect
        case inTheProfileCall
    }

    private let server: ServerProcess

    init() async throws { server = try await ServerProcess() }

    @Test(
        "A server killed before the profile fails the sign-in once; an old token stays",
        arguments: Moment.allCases
    )
    func signIn(_ moment: Moment) async throws {
        let app = try server.app()
        try await app.start()
        try await app.signIn(at: server)
        app.enabler.setSelectedProvider("NoLogOut")
        app.call { $0.getAuthentication(true) }
        guard case .navigation(let page, _) = await app.hear(until: "navigation").last else { throw Unexpected() }
        let end = try await server.signIn(at: page)
        switch moment {
        case .afterTheRedirect:
            server.kill()
            app.enabler.handleExternalURL(end)
        case .inTheProfileCall:
            try await server.spoil("profile-of-code", "silence")
            app.enabler.handleExternalURL(end)
            try await server.spoils("profile-of-code")
            server.kill()
        }
        #expect(
            await app.words(until: "authentication") == [
                "status(N500)", "authentication(0, Generic Authentication Error)",
            ]
        )
        #expect(try app.signedIn == ["Cable"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        // This is the next event: the sign-in ended only once.
        #expect(await app.words(until: "authentication") == ["authentication(1)"])

        try await server.start()
        app.enabler.setSelectedProvider("NoLogOut")
        app.call { $0.getAuthentication(true) }
        guard case .navigation(let again, _) = await app.hear(until: "navigation").last else { throw Unexpected() }
        // The server has forgotten its clients: the app registers again, and the end of this sign-in ends its session.
        app.enabler.handleExternalURL(try await server.signIn(at: again))
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(try app.signedIn == ["Cable", "NoLogOut"])
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }

    @Test("A server killed in an authorization fails it once; the session stays")
    func authorization() async throws {
        let app = try server.app()
        try await app.start()
        try await app.signIn(at: server)
        _ = try await app.enabler.checkAuthorization("kids-live")
        _ = await app.hear(until: "token")
        try await server.spoil("authorize", "silence")
        app.call { $0.checkAuthorization("news-live") }
        try await server.spoils("authorize")
        server.kill()
        #expect(
            await app.words(until: "tokenRequestFailed")
                == ["status(Z120)", "tokenRequestFailed(Generic Authorization Error)"]
        )
        let kept = try app.enabler.tokens.contents()
        #expect(kept.tokens.map(\.token.mvpd) == ["Cable"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        #expect(await app.words(until: "authentication") == ["authentication(1)"])

        try await server.start()
        // The server has forgotten its clients and sign-ins: the app registers again, and the user has to sign in.
        app.call { $0.checkAuthorization("news-live") }
        #expect(
            await app.words(until: "tokenRequestFailed") == [
                "status(N130)", "authentication(0, User Not Authenticated Error)",
                "tokenRequestFailed(User Not Authenticated Error)",
            ]
        )
        try await app.signIn(at: server)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        #expect(try await server.count("register") == 1)
    }
}
