internal import FoundationEssentials

/// The entitlement flows as one pure transition function, from an event and the facts of the store to effects.
///
/// It performs no work itself, and reads the time only from the facts. Every request has a ticket. When a flow
/// continues without a result, its ticket becomes void, so that late and repeated results have no effect.
struct EntitlementEngine: Sendable {
    let rules: EntitlementRules
    var options: ClientOptions
    var phase = ConfigurationPhase.idle
    /// The configuration in use, once there is one.
    var configuration: PassConfiguration?
    /// The fastest server for each TV provider.
    var serviceProviders: [String: String] = [:]
    /// The programmer of the last `setRequestor` call.
    var requestor: String?
    /// Calls that wait for the configuration.
    var queue: [(id: CallID, call: EntitlementCall)] = []
    var signIn: SignIn?
    /// The TV provider that was selected while no sign-in was in progress.
    var preselected: String?
    var logOut: LogOut?
    var authorizations: [CallID: AuthorizationFlow] = [:]
    var preauthorizations: [CallID: PreauthorizationFlow] = [:]
    /// The session that the app was last notified of.
    var known: PassSession?
    /// A session of another app, which the server does not accept from this one: ignored here, and left for that app.
    var foreign: PassSession?
    /// Indicates whether that session is the one in the store. If so, nothing is stored until a sign-in has succeeded.
    private(set) var isSessionForeign = false
    /// Indicates whether this app's own sign-in has failed: the next one starts with the picker.
    var picksAgain = false
    private var lastTicket: Ticket = 0
    private(set) var purposes: [Ticket: Purpose] = [:]
    private var effects: [EngineEffect] = []

    init(_ rules: EntitlementRules, options: ClientOptions) {
        self.rules = rules
        self.options = options
    }

    /// Handles one event.
    mutating func handle(_ event: EngineEvent, _ facts: Facts) -> [EngineEffect] {
        var facts = facts
        // If the store cannot be read, the last known value stays.
        if facts.failure == nil { isSessionForeign = foreign != nil && facts.session == foreign }
        if facts.session == foreign { (facts.session, facts.authorization, facts.cache) = (nil, nil, nil) }
        let (wasBusy, hadSignIn) = (isBusy, signIn != nil)
        switch event {
        case .called(let id, let call): begin(id, call, facts)
        case .answered(let ticket, let answer):
            if case .question(let purpose)? = purposes.removeValue(forKey: ticket) { take(answer, for: purpose, facts) }
        case .stored(let ticket, let answer):
            if case .step(let purpose)? = purposes.removeValue(forKey: ticket) { take(answer, for: purpose, facts) }
        case .elapsed(let ticket):
            if case .wait(let purpose)? = purposes.removeValue(forKey: ticket) { pass(purpose, facts) }
        case .storeChanged: compare(facts)
        }
        // Reports a change of the session that no flow has reported. A response of the back end can end a session
        // without a write: that of an app that had to register again for the request, and so is another client now. If
        // a sign-in ended with the response, its status has already reported that.
        let endsSession = event.isAnswer && facts.session == nil && facts.failure == nil && signIn == nil
        if endsSession, hadSignIn { known = nil }
        if wasBusy || endsSession { compare(facts) }
        defer { effects = [] }
        return effects
    }

    /// True during a log-out, during a configuration, and until one has succeeded: changes of the session are not
    /// reported then.
    private var isBusy: Bool { phase != .ready || logOut != nil }

    private mutating func begin(_ id: CallID, _ call: EntitlementCall, _ facts: Facts) {
        switch (call, phase) {
        case (.setRequestor(let requestor, let serviceProviders), _):
            return configure(id, requestor, serviceProviders)
        case (.setOptions(let options), _):
            self.options = options
            return end(id, .done)
        case (.handleExternalURL(let url), _):
            return handleExternalURL(id, url)
        case (.giveUp(let call), _):
            return giveUp(call, id)
        case (.setSelectedProvider(nil), _) where signIn != nil && configuration != nil:
            return cancelSignIn(id)
        case (.logOut, _):
            return logOut(id, facts)
        case (.preauthorize, .idle):
            return failPreauthorize(id, "requestor_not_configured", action: "retry")
        case (_, .idle), (_, .configuring):
            return queue.append((id, call))
        case (_, .failed):
            return refuse(id, call)
        case (_, .ready):
            break
        }
        switch call {
        case .setRequestor, .setOptions, .handleExternalURL, .giveUp, .logOut: break
        case .checkAuthentication: checkAuthentication(id, facts)
        case .getAuthentication(let options): getAuthentication(id, options, facts)
        case .setSelectedProvider(let mvpd?): select(id, mvpd, facts)
        case .setSelectedProvider(nil): cancelSignIn(id)
        case .authorization(let call): authorize(call, facts)
        case .checkPreauthorizedResources(let resources, let usesCache):
            var request = PreauthorizeRequest.Builder().setResources(resources)
            if !usesCache { request = request.disableFeatures([.localCache]) }
            preauthorize(PreauthorizationFlow(id: id, request: request.build(), isOfOldCall: true), facts)
        case .preauthorize(let request):
            preauthorize(PreauthorizationFlow(id: id, request: request, isOfOldCall: false), facts)
        case .getSelectedProvider: getSelectedProvider(id, facts)
        case .getMetadata(let key): getMetadata(id, key, facts)
        case .userSignedOut(let session): userSignedOut(id, session)
        }
    }

    private mutating func take(
        _ answer: Result<BackEndAnswer, PassBackendError>,
        for purpose: QuestionPurpose,
        _ facts: Facts
    ) {
        switch purpose {
        case .registration: takeRegistration(answer)
        case .configuration(let server): takeConfiguration(answer, from: server, facts)
        case .passive: takePassiveProfile(answer, facts)
        case .start, .profile: advanceSignIn(answer, facts)
        case .authorization(let id): takeAuthorization(answer, id, facts)
        case .mediaToken(let id): takeMediaToken(answer, id, facts)
        case .preauthorization(let id): takeDecisions(answer, id, facts)
        case .metadata(let id, let key, let session): takeMetadata(answer, of: session, for: key, id)
        case .logOutURL: takeLogOutURL(answer)
        }
    }

    private mutating func take(
        _ answer: Result<StoreAnswer, PassStoreError>,
        for purpose: StepPurpose,
        _ facts: Facts
    ) {
        switch purpose {
        case .integrity: integrityChecked(answer)
        case .preparation: prepared(answer, facts)
        case .passiveSignIn: signedInPassively(answer, facts)
        case .choice: chosen(answer, facts)
        case .signIn: signedIn(answer, facts)
        case .cancellation: cancelled(answer, facts)
        case .authorizationKept(let id): authorizationKept(answer, id, facts)
        case .wipe: wiped(answer)
        case .nothing: break
        }
    }

    private mutating func pass(_ purpose: WaitPurpose, _ facts: Facts) {
        switch purpose {
        case .poll: poll(facts)
        case .logOutLeg: finishLogOut()
        case .slowServers: goOnWithoutSlowServers(facts)
        }
    }

    // MARK: Effects and requests

    mutating func tell(_ event: EntitlementEvent) { effects.append(.tell(event)) }

    mutating func report(_ id: StatusReport.ID, _ message: String? = nil, resource: String? = nil) {
        tell(.status(StatusReport(id, message: message.flatMap { $0.isEmpty ? nil : $0 }, resource: resource)))
    }

    mutating func end(_ id: CallID?, _ outcome: CallOutcome) {
        if let id { effects.append(.end(id, outcome)) }
    }

    mutating func resume(_ id: CallID, _ call: EntitlementCall) { effects.append(.resume(id, call)) }

    mutating func watch(_ requestor: RequestorConfiguration) { effects.append(.watch(requestor)) }

    mutating func ask(_ question: BackEndQuestion, _ request: PassRequest, for purpose: QuestionPurpose) {
        effects.append(.ask(ticket(for: .question(purpose)), question, request))
    }

    mutating func store(_ step: StoreStep, for purpose: StepPurpose) {
        effects.append(.store(ticket(for: .step(purpose)), step))
    }

    mutating func wait(_ duration: Duration, for purpose: WaitPurpose) {
        effects.append(.wait(ticket(for: .wait(purpose)), duration))
    }

    /// Stops waiting for the results with these purposes.
    mutating func cancel(where condition: (Purpose) -> Bool) {
        for (ticket, purpose) in purposes.sorted(by: { $0.key < $1.key }) where condition(purpose) {
            purposes[ticket] = nil
            effects.append(.cancel(ticket))
        }
    }

    /// Returns the final address of a TV provider's pages.
    func redirectURL(for mvpd: String?) -> RedirectURL {
        var redirect = rules.redirectURL
        redirect.isForSecureBrowser = showsSecureBrowser(for: mvpd)
        return redirect
    }

    /// Returns whether a TV provider requires a secure browser, and the app shows one.
    func showsSecureBrowser(for mvpd: String?) -> Bool {
        options.handlesSecureBrowser && configuration?.mvpd(mvpd)?.demandsSecureBrowser == true
    }

    private mutating func ticket(for purpose: Purpose) -> Ticket {
        lastTicket += 1
        purposes[lastTicket] = purpose
        return lastTicket
    }

    /// Returns a request to the back end for a TV provider.
    func request(_ mvpd: String? = nil, _ token: AuthenticationToken? = nil, _ data: [String: String] = [:])
        -> PassRequest
    {
        PassRequest(
            requestor: configuration?.id ?? "",
            mvpd: mvpd,
            serviceProvider: mvpd.flatMap { serviceProviders[$0] },
            domain: configuration?.domain,
            fingerprint: rules.fingerprint,
            options: options,
            token: token,
            genericData: data
        )
    }
}

/// The rules of an engine, which never change.
struct EntitlementRules: Sendable {
    /// The device, as servers see it.
    var fingerprint: String
    /// The key that must have signed tokens.
    var publicKey: TokenPublicKey?
    var redirectURL: RedirectURL
    var pollInterval: Duration = .seconds(5)
    /// The time for which a configuration waits for further servers after the first response.
    var slowServerLimit: Duration = .seconds(3)
    /// The time for which a log-out waits for the end of its page.
    var logOutLimit: Duration = .seconds(30)
    var skipsPickerForLastProvider = true
}
