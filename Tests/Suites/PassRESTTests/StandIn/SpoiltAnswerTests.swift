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
            let words = await app.words(until: flow.ends)
            try #require(words == expected, "\(spoilt)")
            standIn.relay.stop()
            // A failure signs no user in or out.
            let isSignedIn = spoilt.isJump ? flow.signsIn : flow.isSignedIn
            try #require(try app.signedIn == (isSignedIn ? ["Cable"] : []), "\(spoilt)")
            guard flow.isSignedIn || isSignedIn else { continue }
            // It ended once: the next callback belongs to the next call.
            app.call { $0.checkAuthentication() }
            try #require(await app.words(until: "authentication") == ["authentication(1)"], "\(spoilt)")
        }
    }
}
