import FoundationEssentials
import PassAuth
import PassREST
import SecretService
import SharedAuth

/// The app: it signs the user in, and plays the channels that the user may watch.
struct Television {
    private let app: App
    private let enabler: AccessEnabler
    private let screen: any SignInScreen
    private let backEnd: ProgrammerBackEnd

    init(_ call: Call) throws {
        app = call.app
        let setup = try PassSetup(
            appID: app.id,
            teamID: "TEAM1",
            project: "sample.tv",
            like: .sdk3,
            in: SecretServiceRecordStore(SecretService())
        )
        let tokens = try setup.tokens(inGroup: "TEAM1.example.tv")
        screen = try Self.screen(call)
        backEnd = ProgrammerBackEnd(server: call.server, programmer: call.app.programmer)
        // The team's service names the user of its apps, so one sign-in at Pass counts for all of them.
        let (service, person) = (backEnd, tokens.device.fingerprint)
        var settings = PassRESTBackend.Settings()
        settings.serviceToken = { try await service.serviceToken(for: person) }
        let endpoints = try PassEndpoints(api: call.server)
        enabler = AccessEnabler(
            call.statement,
            tokens: tokens,
            backEnd: PassRESTBackend(endpoints, clients: setup.clients, settings: settings),
            settings: screen.settings
        )
    }

    private static func screen(_ call: Call) throws -> any SignInScreen {
        switch call.screen {
        case .browser: try BrowserScreen()
        case .scheme: try SchemeScreen()
        case .code: CodeScreen(server: call.server)
        }
    }

    /// Plays a channel, after a sign-in if no user is signed in.
    func watch(_ channel: String) async throws {
        let audience = Task { [enabler, screen, events = enabler.events] in
            for await event in events { await Self.react(to: event, enabler, screen) }
        }
        defer { audience.cancel() }
        try await enabler.setRequestor(app.programmer)
        let mediaToken = try await mediaToken(for: channel)
        let provider = await enabler.getSelectedProvider()
        try await backEnd.accept(mediaToken, for: channel)
        say("\(app.name) plays \(channel), thanks to \(provider?.displayName ?? "somebody").")
    }

    /// Requests a media token, and shows the result of a sign-in or its cancellation.
    private func mediaToken(for channel: String) async throws -> String {
        let reports = enabler.events
        do {
            let token = try await enabler.getAuthorization(channel)
            screen.end("Signed in", "You can close this page: \(channel) plays on the television.")
            return token
        } catch {
            var isCancelled = error.code == EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR
            if error.code == EntitlementConstant.GENERIC_AUTHENTICATION_ERROR {
                for await event in reports {
                    if case .status(let report) = event, report.id == .tokenNotFound { isCancelled = true }
                    if case .tokenRequestFailed = event { break }
                }
            }
            if isCancelled {
                screen.end("Sign-in cancelled", "You can close this page.")
                throw Trouble("The sign-in was cancelled.", status: 77)
            }
            if error.code == EntitlementConstant.USER_NOT_AUTHORIZED_ERROR {
                screen.end("Refused", "Your TV provider does not permit \(channel). You can close this page.")
            } else {
                screen.end("Sign-in failed", "The television says why. Close this page, and try again.")
            }
            throw error
        }
    }

    func sayWhoIsSignedIn() async throws {
        try await enabler.setRequestor(app.programmer)
        let status = await enabler.checkAuthentication()
        let provider = await enabler.getSelectedProvider()
        say(
            status.isAuthenticated
                ? "\(app.name): signed in with \(provider?.displayName ?? "?")." : "\(app.name): signed out."
        )
    }

    func signOut() async throws {
        let audience = Task { [enabler, screen, events = enabler.events] in
            for await event in events { await Self.react(to: event, enabler, screen) }
        }
        defer { audience.cancel() }
        let untold = Task { [events = enabler.events] in await Self.reasonServerWasNotTold(events) }
        // The log-out waits neither for the configuration nor for a server.
        beginConfiguration()
        let status = await enabler.logout()
        guard status.errorCode == EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR else {
            screen.end("Not signed out", "The television says why. You can close this page.")
            throw Trouble(
                "\(app.name) is still signed in: the keyring cannot be written. Unlock it, and sign out again."
            )
        }
        screen.end("Signed out", "You can close this page.")
        if let reason = await untold.value {
            say("The servers were not notified, and may still have the session: \(reason)")
        }
        say("\(app.name): signed out, in every app of the team.")
    }

    private func beginConfiguration() { enabler.setRequestor(app.programmer) }

    /// Returns the reason if the server was not notified of a log-out.
    private static func reasonServerWasNotTold(_ events: AsyncStream<EntitlementEvent>) async -> String? {
        var reason: String?
        for await event in events {
            if case .status(let report) = event, report.id == .logOutNotTold { reason = report.message ?? "" }
            if case .loggedOut = event { break }
        }
        return reason
    }

    private static func react(
        to event: EntitlementEvent,
        _ enabler: AccessEnabler,
        _ screen: any SignInScreen
    ) async {
        switch event {
        case .providerDialog(let mvpds):
            enabler.setSelectedProvider(choice(of: mvpds)?.id)
        case .navigation(let page, _):
            say("Open this address:\n    \(page)")
            do {
                for try await address in screen.addresses(of: page) { enabler.handleExternalURL(address) }
            } catch {
                say("\(error)")
                enabler.setSelectedProvider(nil)
            }
        case .status(let report) where report.registrationCode != nil:
            await screen.show(code: report.registrationCode ?? "")
        case .status(let report) where report.level == .error:
            say("\(report.id.rawValue): \(report.message ?? "")")
        default: break
        }
    }

    /// Asks the user for a TV provider; returns nil if the user chooses none.
    private static func choice(of mvpds: [MVPD]) -> MVPD? {
        say("Choose your TV provider:")
        for (number, mvpd) in mvpds.enumerated() { say("    \(number + 1)  \(mvpd.displayName)") }
        guard let line = readLine(), let number = Int(line), mvpds.indices.contains(number - 1) else { return nil }
        say("You chose \(mvpds[number - 1].displayName).")
        return mvpds[number - 1]
    }
}
