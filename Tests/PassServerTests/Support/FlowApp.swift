import FoundationEssentials
import LoopbackServer
import PassAuth
import PassREST
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassServer

/// Apps of a team on one machine, whose tokens are in memory.
struct Team {
    let store = InMemoryRecordStore()
    let server: StandIn

    init(server: StandIn) { self.server = server }

    /// An app of the team, configured for nothing yet.
    func app(
        _ name: String = "News",
        requestor: String = "ExampleNews",
        statement: String = StandIn.statement,
        screen: AccessEnabler.Settings.Screen = .first,
        timeout: Duration = .seconds(60),
        namesPerson: Bool = true
    ) throws -> FlowApp {
        let setup = try PassSetup(
            appID: "com.example.tv.\(name)",
            teamID: "TEAM1",
            in: store,
            machineIDPaths: []
        )
        var settings = PassRESTBackend.Settings()
        let server = server
        if namesPerson {
            settings.serviceToken = { try await server.send(.get, "/standin/service-token/somebody").text }
        }
        let enabler = AccessEnabler(
            statement,
            tokens: try setup.tokens(inGroup: "TEAM1.example.tv"),
            backEnd: PassRESTBackend(
                try PassEndpoints(api: server.server.address),
                clients: setup.clients,
                settings: settings
            ),
            settings: AccessEnabler.Settings(
                screen: screen,
                pollInterval: .seconds(1),
                timeout: timeout,
                logOutTimeout: .seconds(60)
            )
        )
        return FlowApp(enabler: enabler, requestor: requestor, server: server)
    }
}

/// An app, and what it hears.
final class FlowApp {
    let enabler: AccessEnabler
    let requestor: String
    private let server: StandIn
    private var events: AsyncStream<EntitlementEvent>.Iterator

    init(enabler: AccessEnabler, requestor: String, server: StandIn) {
        (self.enabler, self.requestor, self.server) = (enabler, requestor, server)
        events = enabler.events.makeAsyncIterator()
    }

    /// Makes a call as an app does that has callbacks.
    func call(_ body: (AccessEnabler) -> Void) { body(enabler) }

    /// What the app hears until something whose description begins so, that included; without what is counted.
    func hear(until prefix: String) async -> [String] {
        var heard: [String] = []
        while let event = await events.next() {
            if case .tracking = event { continue }
            heard.append("\(event)")
            if "\(event)".hasPrefix(prefix) { return heard }
        }
        return heard + ["the end"]
    }

    /// The page that the app is to show.
    func page() async throws -> String {
        while let event = await events.next() {
            if case .navigation(let url, _) = event { return url }
            if case .authentication = event { Issue.record("There is no page: \(event)") }
        }
        throw CancellationError()
    }

    /// The code that the app is to show.
    func code() async throws -> String {
        while let event = await events.next() {
            if case .status(let report) = event, let code = report.registrationCode { return code }
        }
        throw CancellationError()
    }

    /// Begins a sign-in; the page that it leads to.
    func begin(_ mvpd: String = "Cable") async throws -> String {
        try await enabler.setRequestor(requestor)
        call { $0.getAuthentication() }
        _ = await hear(until: "providerDialog")
        enabler.setSelectedProvider(mvpd)
        return try await page()
    }

    /// Signs in to its end.
    func signIn(_ mvpd: String = "Cable") async throws {
        enabler.handleExternalURL(try await server.fillIn(try await begin(mvpd)))
        #expect(await hear(until: "authentication").last == "authentication(1)")
    }
}
