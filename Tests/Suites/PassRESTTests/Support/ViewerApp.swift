import Dispatch
import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// An app whose AccessEnabler speaks with the stand-in.
final class ViewerApp {
    let enabler: AccessEnabler
    let timers = TestTimers()
    private var events: AsyncStream<EntitlementEvent>.Iterator

    /// The TV providers of the tokens that are stored.
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

    /// Returns the events, but tracking, up to the first whose description begins so.
    func hear(until prefix: String) async -> [EntitlementEvent] { await hear(until: [prefix]) }

    /// The same, up to the first whose description begins with any of these.
    func hear(until prefixes: [String]) async -> [EntitlementEvent] {
        var heard: [EntitlementEvent] = []
        while let event = await events.next() {
            if case .tracking = event { continue }
            heard.append(event)
            if prefixes.contains(where: "\(event)".hasPrefix) { return heard }
        }
        return heard
    }

    /// The same, in words.
    func words(until prefix: String) async -> [String] { await hear(until: prefix).map { "\($0)" } }

    /// The same, in words.
    func words(until prefixes: [String]) async -> [String] { await hear(until: prefixes).map { "\($0)" } }

    /// Configures the app, and forgets what was heard of it.
    func start(_ requestor: String = "ExampleNews") async throws {
        try await enabler.setRequestor(requestor)
        _ = await hear(until: "requestorComplete")
    }

    /// Begins a sign-in, and returns its page.
    func page(_ mvpd: String = "Cable") async throws -> String {
        enabler.setSelectedProvider(mvpd)
        call { $0.getAuthentication() }
        guard case .navigation(let url, _) = await hear(until: "navigation").last else { throw Unexpected() }
        return url
    }

    /// Signs in, as a person does.
    func signIn(_ mvpd: String = "Cable", at standIn: some Site) async throws {
        enabler.handleExternalURL(try await standIn.signIn(at: try await page(mvpd)))
        _ = await hear(until: "authentication")
    }

    /// Calls as an app does that has a delegate.
    func call(_ make: (AccessEnabler) -> Void) { make(enabler) }
}
