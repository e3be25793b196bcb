internal import FoundationEssentials
internal import PassAuth
internal import PassREST
internal import SharedAuthHTTP
internal import TestSupport

/// The entitlement flows of this process: an AccessEnabler that uses REST v2, and reports its events.
final class PeerFlows: Sendable {
    private let enabler: AccessEnabler

    /// Starts at a stand-in server as an app used by `person`. A sign-out of `users` becomes a log-out.
    init(_ app: PeerApp, at address: String, person: String, following users: PassUserStore) throws {
        var settings = PassRESTBackend.Settings()
        settings.serviceToken = {
            guard let url = URL(string: "\(address)/standin/service-token/\(person)") else { return "" }
            let answer = try await HTTPClient().send(HTTPRequest(.get, url), retrying: .idempotent)
            return String(decoding: answer.body, as: UTF8.self)
        }
        let backEnd = PassRESTBackend(try PassEndpoints(api: address), clients: app.clients, settings: settings)
        enabler = AccessEnabler("statement", tokens: app.store, backEnd: backEnd)
        enabler.follow(users)
        let events = enabler.events
        Task {
            for await event in events { Self.tell(event) }
        }
        enabler.setRequestor(app.requestor.id)
    }

    func signIn(with mvpd: String) {
        enabler.setSelectedProvider(mvpd)
        enabler.getAuthentication()
    }

    /// Handles the address that the user's page redirected to.
    func come(to address: String) { enabler.handleExternalURL(address) }

    func watch(_ resource: String) { enabler.checkAuthorization(resource) }

    private static func tell(_ event: EntitlementEvent) {
        switch event {
        case .tracking: break
        case .navigation(let url, _): LineOutput.write("! page \(url)")
        default: LineOutput.write("! \(event)")
        }
    }
}
