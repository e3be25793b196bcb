internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import PassREST
internal import Synchronization

/// Runs the entitlement flows of a programmer for one verb.
final class Flow: Sendable {
    let enabler: AccessEnabler
    private let screen: SignInScreen
    private let provider: String?
    private let requestor: String
    /// The last report of an error or a warning.
    private let lastReport = Mutex<StatusReport?>(nil)
    /// A local error that stopped the sign-in, such as a browser that cannot be opened.
    private let obstacle = Mutex<(any Error)?>(nil)

    init(_ app: PassApp, _ server: ServerOptions, _ screen: SignInScreen, provider: String? = nil) throws {
        enabler = AccessEnabler(
            try server.softwareStatement(),
            tokens: try app.tokens(),
            backEnd: PassRESTBackend(try server.endpoints(), clients: app.clients, settings: server.settings),
            settings: screen.settings
        )
        self.screen = screen
        self.provider = provider
        requestor = server.requestor
    }

    /// Configures the programmer, then runs `work`, and blocks until it ends.
    func run<Value: Sendable>(_ work: @escaping @Sendable (AccessEnabler) async throws -> Value) throws -> Value {
        try result { [self] () async throws -> Value in
            let events = enabler.events
            // All events before the mark belong to the work.
            let mark = MetadataKey.authorization(resource: "end \(UUID().uuidString)")
            let audience = Task {
                for await event in events {
                    if case .metadata(let answer) = event, answer.key == mark { break }
                    await react(to: event)
                }
            }
            defer { audience.cancel() }
            do {
                try await enabler.setRequestor(requestor)
                let value = try await work(enabler)
                screen.end(with: .signedIn)
                return value
            } catch {
                _ = await enabler.getMetadata(mark)
                await audience.value
                screen.end(with: outcome(of: error))
                throw explained(error)
            }
        }
    }

    /// Logs out, and waits for the servers' log-out.
    ///
    /// - Returns: The reason why the servers could not be notified; otherwise nil.
    func logOut() throws -> String? {
        try result { [self] () async throws -> String? in
            let (pages, reports) = (enabler.events, enabler.events)
            let audience = Task { for await event in pages { await react(to: event) } }
            defer { audience.cancel() }
            let outcome = Task { await Self.outcome(of: reports) }
            beginConfiguration()
            // The store is cleared without waiting for the configuration.
            let status = await enabler.logout()
            let (untold, failure) = await outcome.value
            // A successful log-out ends with this status.
            if status.errorCode == EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR {
                screen.end(with: .loggedOut)
                return untold
            }
            screen.end(with: .notLoggedOut)
            lastReport.withLock { $0 = failure ?? $0 }
            throw explained(StatusError(status: status))
        }
    }

    private func beginConfiguration() { enabler.setRequestor(requestor) }

    /// Waits until a log-out ends, and returns its reports.
    private static func outcome(of events: AsyncStream<EntitlementEvent>) async -> (untold: String?, StatusReport?) {
        var (untold, failure): (String?, StatusReport?) = (nil, nil)
        for await event in events {
            switch event {
            case .status(let report) where report.id == .logOutNotTold: untold = report.message ?? ""
            case .status(let report) where report.level == .error: failure = report
            case .loggedOut: return (untold, failure)
            case .authentication(let status) where status.errorCode == EntitlementConstant.INTERNAL_AUTHENTICATION_ERROR:
                return (untold, failure)
            default: break
            }
        }
        return (untold, failure)
    }

    /// The error of a call that ended with a failure status.
    struct StatusError: Error {
        let status: AuthenticationStatus
    }

    /// Returns the outcome of a sign-in that failed.
    private func outcome(of error: any Error) -> SignInScreen.Outcome {
        let code = (error as? StatusError)?.status.errorCode ?? (error as? EntitlementError)?.code ?? ""
        let report = lastReport.withLock { $0 }
        if code == EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR { return .cancelled }
        if report?.id == .tokenNotFound {
            return report?.message == StatusReport.cancelledOnPage ? .cancelled : .failed
        }
        return ExitCode(code, report?.id) == .refused ? .refused : .failed
    }

    private func explained(_ error: any Error) -> any Error {
        if let obstacle = obstacle.withLock({ $0 }) { return obstacle }
        if let error = error as? StatusError { return failure(code: error.status.errorCode, details: "") }
        guard let error = error as? EntitlementError else { return error }
        return failure(code: error.code, details: error.details)
    }

    private func failure(code: String, details: String) -> ToolError {
        let report = lastReport.withLock { $0 }
        let words = [details, report?.message ?? ""].first { !$0.isEmpty }
        let name = report.map { " (\($0.id.rawValue))" } ?? ""
        let message = [code.isEmpty ? "The programmer could not be configured" : code, words].compactMap(\.self)
        return ToolError(
            ExitCode(code, report?.id),
            message.joined(separator: ": ") + name,
            name: report?.id.rawValue
        )
    }

    private func react(to event: EntitlementEvent) async {
        switch event {
        case .providerDialog(let mvpds): choose(from: mvpds)
        case .navigation(let page, _):
            do {
                if let address = try await screen.show(page) { enabler.handleExternalURL(address) }
            } catch {
                obstacle.withLock { $0 = error }
                enabler.setSelectedProvider(nil)
            }
        case .status(let report):
            if let code = report.registrationCode { return screen.show(code: code) }
            if report.level == .error || report.level == .warning { lastReport.withLock { $0 = report } }
        default: break
        }
    }

    /// Selects the TV provider of the option, or prompts for one.
    private func choose(from mvpds: [MVPD]) {
        do {
            enabler.setSelectedProvider(try choice(from: mvpds))
        } catch {
            obstacle.withLock { $0 = error }
            enabler.setSelectedProvider(nil)
        }
    }

    private func choice(from mvpds: [MVPD]) throws -> String {
        let ids = mvpds.map(\.id)
        if let provider {
            if ids.contains(provider) { return provider }
            throw ValidationError(
                "The programmer does not work with \(provider). Choose one of: \(ids.joined(separator: ", "))."
            )
        }
        guard Terminal.isThere else {
            throw ValidationError("Give --provider <id>: \(ids.joined(separator: ", ")).")
        }
        for (number, mvpd) in mvpds.enumerated() {
            StandardError.write(line: "\(number + 1)  \(mvpd.displayName) (\(mvpd.id))")
        }
        StandardError.ask("The number of your TV provider: ")
        guard let number = Int(try StandardInput.line("number")), mvpds.indices.contains(number - 1) else {
            throw ToolError(.refused, "No TV provider was chosen.", name: "declined")
        }
        return ids[number - 1]
    }
}

extension ExitCode {
    /// The exit status for an error string and a report.
    fileprivate init(_ code: String, _ report: StatusReport.ID?) {
        switch (code, report) {
        case (EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR, _): self = .noUser
        case (EntitlementConstant.USER_NOT_AUTHORIZED_ERROR, _), (EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR, _),
            (EntitlementConstant.PROVIDER_NOT_AVAILABLE_ERROR, _), (_, .notRegistered?), (_, .badDomain?),
            (_, .temporaryPassExpired?), (_, .invalidRequestor?),
            // Cancelled on the page.
            (EntitlementConstant.GENERIC_AUTHENTICATION_ERROR, .tokenNotFound?):
            self = .refused
        case (EntitlementConstant.INTERNAL_AUTHENTICATION_ERROR, _), (_, .configurationThrottled?): self = .tryAgain
        default: self = .unavailable
        }
    }
}
