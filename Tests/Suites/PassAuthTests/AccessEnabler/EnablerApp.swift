import Dispatch
import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import PassAuth

/// An app that uses an AccessEnabler and records the calls to its delegate as text.
final class EnablerApp: EntitlementDelegate, EntitlementStatus {
    let enabler: AccessEnabler
    let timers = TestTimers()
    let backEnd: ScriptedBackEnd
    private let heard: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init(
        _ world: PassStoreFixture,
        _ backEnd: ScriptedBackEnd? = nil,
        tokens: PassTokenStore? = nil,
        settings: AccessEnabler.Settings = .init(customRedirectURL: "adbe.x://adobe.com"),
        steady: TestClock? = nil
    ) throws {
        let steady = steady ?? world.clock
        let start = steady.now
        self.backEnd = backEnd ?? ScriptedBackEnd(world.clock)
        (heard, continuation) = AsyncStream.makeStream(of: String.self)
        enabler = AccessEnabler(
            "statement",
            tokens: try tokens ?? world.store(),
            backEnd: self.backEnd,
            settings: settings,
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.delegate")),
            elapsed: { .seconds(steady.now.timeIntervalSince(start)) },
            wait: { [timers] in await timers.wait($0) }
        )
        enabler.delegate = self
    }

    /// Makes a call to the AccessEnabler as an app with a delegate does.
    func call(_ make: (AccessEnabler) -> Void) { make(enabler) }

    /// Returns the delegate's calls, without tracking events, up to the first that begins with `prefix`.
    func hear(until prefix: String, isolation: isolated (any Actor)? = #isolation) async -> [String] {
        var found: [String] = []
        for await word in heard {
            if !word.hasPrefix("tracking") || prefix.hasPrefix("tracking") { found.append(word) }
            if word.hasPrefix(prefix) { return found }
        }
        return found
    }

    /// Configures a programmer and discards the delegate's calls.
    func start(_ requestor: String = "R1") async throws {
        try await enabler.setRequestor(requestor)
        _ = await hear(until: "setRequestorComplete")
        _ = backEnd.takeAsked()
    }

    /// Signs in as a user would.
    func signIn(_ mvpd: String = "M1") async {
        call { $0.getAuthentication() }
        _ = await hear(until: "picker")
        enabler.setSelectedProvider(mvpd)
        _ = await hear(until: "navigate")
        enabler.handleExternalURL("adobepass://ios.app?state=state")
        _ = await hear(until: "status 1")
        _ = backEnd.takeAsked()
    }

    private func note(_ word: String) { continuation.yield(word) }

    func setRequestorComplete(_ status: Int) { note("setRequestorComplete \(status)") }
    func displayProviderDialog(_ mvpds: [MVPD]) { note("picker \(mvpds.map(\.displayName).joined(separator: " "))") }
    func navigate(toUrl url: String) { note("navigate \(url)") }
    func navigate(toUrl url: String, useSVC: Bool) { note("navigate \(url) useSVC \(useSVC)") }
    func setAuthenticationStatus(_ status: Int, errorCode: String) { note("status \(status) \(errorCode)") }
    func setToken(_ token: String, forResource resource: String) { note("token \(token) for \(resource)") }
    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
        note("failed \(resource): \(errorCode): \(errorDescription)")
    }
    func preauthorizedResources(_ resources: [String]?) {
        note("preauthorized \(resources?.joined(separator: " ") ?? "nil")")
    }
    func selectedProvider(_ mvpd: MVPD?) { note("selected \(mvpd?.id ?? "nil")") }
    func setMetadataStatus(
        _ metadata: JSONValue?,
        encrypted: Bool,
        forKey key: Int,
        andArguments arguments: [String: String]
    ) {
        note("metadata \(key) \(metadata.map { "\($0)" } ?? "nil") \(encrypted)")
    }
    func sendTrackingData(_ data: [String], forEventType event: Int) {
        note("tracking \(event) \(data.joined(separator: ","))")
    }
    func status(_ statusDictionary: [String: String]) {
        let parts = ["errorId", "level", "registrationCode", "resource"].compactMap { statusDictionary[$0] }
        note("report \(parts.joined(separator: " "))")
    }
}
