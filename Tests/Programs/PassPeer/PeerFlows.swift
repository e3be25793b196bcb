internal import FoundationEssentials
internal import PassAuth
internal import PassREST
internal import SharedAuthHTTP
internal import TestSupport

/// The entitlement flows of this process: an AccessEnabler that speaks REST v2, and tells what it says.
final class PeerFlows: Sendable {
    private let enabler: AccessEnabler

    /// Begins at a stand-in server, as an app that this person uses; a sign-out of the users' is a log-out.
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

    /// The person's page came to an address.
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
