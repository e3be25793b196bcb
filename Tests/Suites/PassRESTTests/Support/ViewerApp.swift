import Dispatch
import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// An app whose AccessEnabler uses the stand-in.
final class ViewerApp {
    let enabler: AccessEnabler
    let timers = TestTimers()
    private var events: AsyncStream<EntitlementEvent>.Iterator

    /// The TV providers of the stored tokens.
    var signedIn: [String] {
        get throws { try enabler.tokens.contents().tokens.map(\.token.mvpd).sorted() }
    }

    init(
        _ statement: String,
        _ tokens: PassTokenStore,
        _ backEnd: any PassBackend,
        _ settings: AccessEnabler.Settings,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        enabler = AccessEnabler(
            statement,
            tokens: tokens,
            backEnd: backEnd,
            settings: settings,
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.delegate")),
            elapsed: elapsed,
            wait: { [timers] in await timers.wait($0) }
        )
        events = enabler.events.makeAsyncIterator()
    }

    /// Returns the events, without tracking, up to the first whose description begins with `prefix`.
    func hear(until prefix: String) async -> [EntitlementEvent] { await hear(until: [prefix]) }

    /// Returns the events up to the first whose description begins with one of `prefixes`.
    func hear(until prefixes: [String]) async -> [EntitlementEvent] {
        var heard: [EntitlementEvent] = []
        while let event = await events.next() {
            if case .tracking = event { continue }
            heard.append(event)
            if prefixes.contains(where: "\(event)".hasPrefix) { return heard }
        }
        return heard
    }

    /// Returns the same events as text.
    func words(until prefix: String) async -> [String] { await hear(until: prefix).map { "\($0)" } }

    /// Returns the same events as text.
    func words(until prefixes: [String]) async -> [String] { await hear(until: prefixes).map { "\($0)" } }

    /// Configures the app and discards the events of that.
    func start(_ requestor: String = "ExampleNews") async throws {
        try await enabler.setRequestor(requestor)
        _ = await hear(until: "requestorComplete")
    }

    /// Begins a sign-in and returns its page.
    func page(_ mvpd: String = "Cable") async throws -> String {
        enabler.setSelectedProvider(mvpd)
        call { $0.getAuthentication() }
        guard case .navigation(let url, _) = await hear(until: "navigation").last else { throw Unexpected() }
        return url
    }

    /// Signs in as a user does.
    func signIn(_ mvpd: String = "Cable", at standIn: some Site) async throws {
        enabler.handleExternalURL(try await standIn.signIn(at: try await page(mvpd)))
        _ = await hear(until: "authentication")
    }

    /// Makes a call to the AccessEnabler as an app with a delegate does.
    func call(_ make: (AccessEnabler) -> Void) { make(enabler) }
}
