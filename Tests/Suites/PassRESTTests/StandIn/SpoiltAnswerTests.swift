import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Every flow with each response of its endpoints spoilt in every way. One flow runs at a time, since the thousands of
/// requests would delay other tests.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SpoiltAnswerTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    @Test("However a response is spoilt, each flow ends once, with its callbacks", arguments: SpoiltFlow.all)
    func table(_ flow: SpoiltFlow) async throws {
        // Shorter than the clock error.
        try await standIn.turn("lifetimes", #"{"authorization": 7200}"#)
        var waits = standIn.relay.waits.makeAsyncIterator()
        for (number, spoilt) in SpoilingRelay.Spoilt.all.enumerated() {
            // Each has its own store, client and profile at the server.
            let app = try standIn.app("App\(number)", group: nil, screen: flow.screen)
            let address = try await flow.prepare(app, standIn)
            standIn.relay.spoil(flow.path, spoilt)
            app.call { flow.call($0, address) }
            if spoilt.form == .slow {
                await waits.next()
                app.timers.pass(.seconds(30))
            }
            let expected = flow.callbacks(after: spoilt)
            try #require(await app.words(until: flow.ends) == expected, "\(spoilt)")
            standIn.relay.stop()
            if spoilt.form == .slow { await waits.next() }
            // A failure signs no user in or out.
            let isSignedIn = spoilt.isJump ? flow.signsIn : flow.isSignedIn
            try #require(try app.signedIn == (isSignedIn ? ["Cable"] : []), "\(spoilt)")
            // It ended once: the next callback belongs to the next call.
            let ends = spoilt.isJump ? isSignedIn : try await succeeds(flow, app, address, after: spoilt)
            guard ends else { continue }
            app.call { $0.checkAuthentication() }
            try #require(await app.words(until: "authentication") == ["authentication(1)"], "\(spoilt)")
        }
    }

    /// Makes the flow's next call, and completes the page or code that it shows.
    ///
    /// - Returns: True if the user is signed in then.
    private func succeeds(
        _ flow: SpoiltFlow,
        _ app: ViewerApp,
        _ address: String,
        after spoilt: SpoilingRelay.Spoilt
    ) async throws -> Bool {
        // A throttled app waits for a second.
        if spoilt.status == 429 { standIn.clock.advance(by: 2) }
        app.call { (flow.next ?? flow.call)($0, address) }
        let heard = await app.hear(until: flow.ends + [flow.nextCallback, "providerDialog"])
        try #require(heard.map { "\($0)" } == [flow.nextCallback], "\(spoilt)")
        switch heard[0] {
        case .navigation(let page, _):
            app.enabler.handleExternalURL(try await standIn.signIn(at: page))
        case .status(let report):
            let code = try #require(report.registrationCode)
            _ = try await standIn.signIn(at: "\(standIn.address)/api/v2/authenticate/ExampleNews/\(code)")
            app.timers.pass(.seconds(5))
        case .authentication: return true
        default: return flow.isSignedIn
        }
        try #require(await app.words(until: "authentication") == ["authentication(1)"], "\(spoilt)")
        return true
    }
}
