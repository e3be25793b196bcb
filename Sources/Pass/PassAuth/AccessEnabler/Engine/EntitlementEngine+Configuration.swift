internal import FoundationEssentials

/// The phase of a programmer's configuration.
enum ConfigurationPhase: Sendable, Equatable {
    /// `setRequestor` has not been called yet.
    case idle
    /// A configuration is in progress.
    case configuring(PendingConfiguration)
    /// Entitlement calls are handled.
    case ready
    /// The last configuration failed, and none before it had succeeded.
    case failed
}

/// A configuration in progress.
struct PendingConfiguration: Sendable, Equatable {
    let call: CallID
    let requestor: String
    let serviceProviders: [String]
    /// The previous configuration; it stays if this one fails.
    var previous: PassConfiguration?
    var previousProviders: [String: String] = [:]
    /// The number of servers that have not responded.
    var missing = 0
    /// The responses so far, merged; the fastest has precedence.
    var found: PassConfiguration?
    var providers: [String: String] = [:]
    var failure: PassBackendError?
    /// The TV providers for which passive sign-in is still to be tried.
    var passive: [String] = []
}

extension EntitlementEngine {
    /// Starts a configuration: integrity, registration, configuration, Importer and Sanitizer, passive sign-in,
    /// complete.
    mutating func configure(_ id: CallID, _ requestor: String, _ serviceProviders: [String]) {
        var configuring = PendingConfiguration(call: id, requestor: requestor, serviceProviders: serviceProviders)
        (foreign, self.requestor) = (nil, requestor)
        if case .configuring(let earlier) = phase {
            cancel { $0.isOfConfiguration }
            endConfiguration(earlier.call, isConfigured: false)
            configuring.previous = earlier.previous
            configuring.previousProviders = earlier.previousProviders
        } else {
            configuring.previous = configuration
            configuring.previousProviders = serviceProviders.isEmpty ? [:] : self.serviceProviders
        }
        if configuring.previous?.id != requestor {
            configuring.previous = nil
            // The flows belong to another programmer.
            failSignIn(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR, isNoted: false)
            dropQuestions(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)
            finishLogOut(untold: logOut?.waitsForConfiguration == true ? "Another configuration began." : nil)
            (known, preselected) = (nil, nil)
        }
        phase = .configuring(configuring)
        store(.checkIntegrity(requestor: requestor), for: .integrity)
    }

    mutating func integrityChecked(_ answer: Result<StoreAnswer, PassStoreError>) {
        guard case .configuring(let configuring) = phase else { return }
        switch answer {
        case .failure(let error): failConfiguration(configuring, .internalError, error.message)
        case .success: ask(.registration(options), request(of: configuring, nil), for: .registration)
        }
    }

    mutating func takeRegistration(_ answer: Result<BackEndAnswer, PassBackendError>) {
        guard case .configuring(var configuring) = phase else { return }
        switch answer {
        case .failure(let error):
            failConfiguration(configuring, error.configurationStatus, error.message)
        case .success:
            let servers: [String?] = configuring.serviceProviders.isEmpty ? [nil] : configuring.serviceProviders
            configuring.missing = servers.count
            phase = .configuring(configuring)
            for server in servers {
                ask(.configuration, request(of: configuring, server), for: .configuration(server))
            }
        }
    }

    mutating func takeConfiguration(
        _ answer: Result<BackEndAnswer, PassBackendError>,
        from server: String?,
        _ facts: Facts
    ) {
        guard case .configuring(var configuring) = phase else { return }
        configuring.missing -= 1
        switch answer {
        case .success(.configuration(let found)) where found.id == configuring.requestor:
            for mvpd in found.mvpds where configuring.providers[mvpd.id] == nil {
                if let server, configuring.found?.mvpd(mvpd.id) == nil { configuring.providers[mvpd.id] = server }
            }
            configuring.found = configuring.found?.merged(with: found) ?? found
        case .failure(let error): configuring.failure = configuring.failure ?? error
        case .success: configuring.failure = configuring.failure ?? PassBackendError(.invalidAnswer)
        }
        phase = .configuring(configuring)
        if configuring.missing == 0 { return prepare(configuring, facts) }
        if configuring.found != nil, !purposes.values.contains(.wait(.slowServers)) {
            wait(rules.slowServerLimit, for: .slowServers)
        }
    }

    /// Continues with the servers that have responded.
    mutating func goOnWithoutSlowServers(_ facts: Facts) {
        guard case .configuring(let configuring) = phase else { return }
        prepare(configuring, facts)
    }

    /// Continues when every server has responded or failed, or the slow ones have run out of time.
    private mutating func prepare(_ configuring: PendingConfiguration, _ facts: Facts) {
        cancel { purpose in
            if case .question(.configuration) = purpose { true } else { purpose == .wait(.slowServers) }
        }
        guard let found = configuring.found else {
            let error = configuring.failure ?? PassBackendError(.invalidAnswer)
            return failConfiguration(configuring, error.configurationStatus, error.message)
        }
        if let date = found.serverDate, abs(date.timeIntervalSince(facts.now)) > 300 {
            let difference = facts.now.timeIntervalSince(date)
            let side = difference > 0 ? "ahead of" : "behind"
            report(.wrongClock, "The clock is \(ClockWords.text(abs(difference))) \(side) the server's. Set it.")
        }
        configuration = found
        serviceProviders = configuring.providers
        store(.prepare(found.requestor), for: .preparation)
    }

    mutating func prepared(_ answer: Result<StoreAnswer, PassStoreError>, _ facts: Facts) {
        guard case .configuring(var configuring) = phase else { return }
        switch answer {
        case .failure(let error):
            failConfiguration(configuring, .internalError, error.message)
        case .success(.prepared(let report)):
            if report.foreignTokens > 0 { self.report(.deviceMismatch) }
            configuring.passive = report.passiveMVPDs
            if !configuring.passive.isEmpty { self.report(.passiveAuthentication) }
            tryPassive(configuring, facts)
        case .success(.done):
            break
        }
    }

    private mutating func tryPassive(_ configuring: PendingConfiguration, _ facts: Facts) {
        var configuring = configuring
        guard facts.session == nil, !configuring.passive.isEmpty else {
            return completeConfiguration(configuring, facts)
        }
        let mvpd = configuring.passive.removeFirst()
        phase = .configuring(configuring)
        ask(.passiveProfile, request(mvpd), for: .passive(mvpd))
    }

    mutating func takePassiveProfile(_ answer: Result<BackEndAnswer, PassBackendError>, _ facts: Facts) {
        guard case .configuring(let configuring) = phase else { return }
        guard case .success(.profile(let profile?)) = answer else { return tryPassive(configuring, facts) }
        store(
            .signIn(
                profile.token,
                configuration?.requestor ?? .init(id: "", integrations: []),
                metadata: profile.userMetadata
            ),
            for: .passiveSignIn(profile.token.mvpd)
        )
    }

    /// Handles the result of storing a passive sign-in. A failure is reported, and the configuration goes on.
    mutating func signedInPassively(_ answer: Result<StoreAnswer, PassStoreError>, _ facts: Facts) {
        guard case .configuring(let configuring) = phase else { return }
        if case .failure(let error) = answer { report(.internalError, error.message) }
        tryPassive(configuring, facts)
    }

    /// Completes a configuration that is trying passive sign-in, so that a user who logs out is not signed in by it.
    mutating func endPassiveSignIn() {
        guard case .configuring(var configuring) = phase else { return }
        let isTrying = purposes.values.contains { if case .question(.passive) = $0 { true } else { false } }
        guard isTrying else { return }
        cancel { if case .question(.passive) = $0 { true } else { false } }
        configuring.passive = []
        completeConfiguration(configuring, nil)
    }

    private mutating func completeConfiguration(_ configuring: PendingConfiguration, _ facts: Facts?) {
        phase = .ready
        // If the programmer was configured before, the app is notified of a change of the session.
        if configuring.previous == nil { known = facts?.session }
        if let configuration { watch(configuration.requestor) }
        endConfiguration(configuring.call, isConfigured: true)
        continueLogOut(nil)
        drainQueue()
    }

    private mutating func failConfiguration(
        _ configuring: PendingConfiguration,
        _ id: StatusReport.ID,
        _ message: String
    ) {
        report(id, message)
        configuration = configuring.previous
        serviceProviders = configuring.previousProviders
        phase = configuring.previous == nil ? .failed : .ready
        endConfiguration(configuring.call, isConfigured: false)
        continueLogOut(message)
        drainQueue()
    }

    private mutating func endConfiguration(_ id: CallID, isConfigured: Bool) {
        tell(.requestorComplete(isConfigured: isConfigured))
        end(id, isConfigured ? .done : .failed(EntitlementError(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR)))
    }

    private mutating func drainQueue() {
        let waiting = queue
        queue = []
        for (id, call) in waiting { resume(id, call) }
    }

    /// Fails a call because there is no configuration.
    mutating func refuse(_ id: CallID, _ call: EntitlementCall) {
        switch call {
        case .authorization(let call):
            failAuthorization(call, EntitlementError(EntitlementConstant.GENERIC_AUTHORIZATION_ERROR))
        case .checkPreauthorizedResources:
            tell(.preauthorizedResources(nil))
            end(id, .failed(EntitlementError(EntitlementConstant.GENERIC_AUTHORIZATION_ERROR)))
        case .preauthorize:
            failPreauthorize(id, "requestor_not_configured", action: "retry")
        case .getSelectedProvider:
            tell(.selectedProvider(nil))
            end(id, .provider(nil))
        case .getMetadata(let key):
            tell(.metadata(MetadataAnswer(key)))
            end(id, .metadata(MetadataAnswer(key)))
        case .checkAuthentication, .getAuthentication, .setSelectedProvider:
            tellStatus(.failed(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR), to: id)
        case .setRequestor, .setOptions, .handleExternalURL, .giveUp, .userSignedOut, .logOut:
            end(id, .done)
        }
    }

    private func request(of configuring: PendingConfiguration, _ server: String?) -> PassRequest {
        PassRequest(
            requestor: configuring.requestor,
            serviceProvider: server,
            fingerprint: rules.fingerprint,
            options: options
        )
    }
}

extension PassBackendError {
    /// The report for a failed configuration.
    fileprivate var configurationStatus: StatusReport.ID {
        switch code {
        case .notRegistered: .notRegistered
        case .noAccessToken: .noAccessToken
        case .invalidRequestor: .invalidRequestor
        case .badDomain: .badDomain
        case .insecure: .insecure
        case .throttled: .configurationThrottled
        case .notFound, .network, .timedOut: .serversNotFound
        default: .serverError
        }
    }
}
