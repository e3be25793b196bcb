import Foundation
import Testing

@testable import PassAuth

/// Feeds events, written as text, to an engine and records the effects. Store effects are carried out immediately.
struct EngineScript {
    var engine: EntitlementEngine
    var facts = Facts(now: Date(timeIntervalSince1970: 1_800_000_000))
    /// The effects of the last event, in order.
    private(set) var effects: [String] = []
    private var failsInStore = false
    private var losesNext = false
    private var lastCall = 0
    private var provider = MVPD("M1")

    init(isSecondScreen: Bool = false, _ provider: MVPD = MVPD("M1")) {
        let redirect = RedirectURL(
            plain: "adobepass://ios.app",
            secure: "adbe.x://adobe.com",
            isSecondScreen: isSecondScreen
        )
        engine = EntitlementEngine(
            EntitlementRules(fingerprint: Self.fingerprint, redirectURL: redirect),
            options: ClientOptions()
        )
        self.provider = provider
    }

    static let fingerprint = DeviceIdentity(.custom, "device").fingerprint

    /// The engine's state.
    var state: String {
        let phase =
            switch engine.phase {
            case .idle: "idle"
            case .configuring: "configuring"
            case .ready: "ready"
            case .failed: "failed"
            }
        let stage: String? = engine.signIn.map { signIn in
            switch signIn.stage {
            case .picker: "picker"
            case .choosing: "choosing"
            case .starting: "starting"
            case .page: "page"
            case .code: "code"
            case .fetching: "fetching"
            case .storing: "storing"
            }
        }
        let rest = [
            engine.queue.isEmpty ? nil : "\(engine.queue.count) queued", stage,
            engine.logOut.map { $0.isOnPage ? "log-out page" : "logging out" },
            facts.session == nil ? nil : "signed in with \(facts.session!.token.mvpd)",
        ]
        return ([phase] + rest.compactMap { $0 }).joined(separator: ", ")
    }

    /// Plays one event and records only its effects.
    mutating func play(_ word: String) throws {
        effects = []
        let parts = word.split(separator: " ").map(String.init)
        if let event = try event(word, parts) { try handle(event) }
    }

    private mutating func handle(_ event: EngineEvent) throws {
        for effect in engine.handle(event, facts) {
            switch effect {
            case .ask(_, let question, let request): effects.append("ask \(Self.name(question, request))")
            case .wait(_, let duration): effects.append("wait \(duration.components.seconds) s")
            case .cancel: effects.append("cancel")
            case .tell(.tracking): break
            case .tell(let event): effects.append("\(event)")
            case .end(_, let outcome):
                if case .preauthorization(let answer) = outcome { effects.append(Self.text(answer)) }
            case .watch: break
            case .resume(let id, let call): try handle(.called(id, call))
            case .store(let ticket, let step):
                effects.append("store \(Self.name(step))")
                if failsInStore {
                    failsInStore = false
                    try handle(.stored(ticket, .failure(PassStoreError(.locked, "Locked."))))
                } else {
                    try handle(.stored(ticket, .success(perform(step))))
                }
            }
        }
    }

    private mutating func perform(_ step: StoreStep) -> StoreAnswer {
        switch step {
        case .signIn(let token, _, _):
            signIn(token)
            if losesNext { facts.session = nil }
        case .choose(let mvpd, _):
            facts.chosen = MVPDSelection(mvpd: mvpd, canAuthenticate: false)
            if facts.session?.token.mvpd != mvpd { facts.session = nil }
        case .wipe, .discard, .discardDevice:
            (facts.session, facts.authorization, facts.cache) = (nil, nil, nil)
            if case .wipe = step { facts.chosen = MVPDSelection(mvpd: nil, canAuthenticate: false) }
        case .keep(let authorization, _): facts.authorization = authorization
        case .keepPreauthorization(let answer, _):
            facts.cache = SessionCache()
            facts.cache?.preauthorization = answer
        case .keepMetadata(let envelope, _):
            facts.cache = SessionCache()
            facts.cache?.userMetadata = envelope
        case .prepare:
            let passive = provider.integration.isPassive && facts.session == nil ? ["M1"] : []
            return .prepared(
                ConfigurationReport(
                    session: facts.session,
                    passiveMVPDs: passive,
                    hasImported: false,
                    expiredTokens: 0,
                    foreignTokens: 0,
                    unreadableTokens: [],
                    hasCleared: false
                )
            )
        case .checkIntegrity: break
        }
        return .done
    }

    private mutating func signIn(_ token: AuthenticationToken) {
        lastCall += 1
        facts.chosen = MVPDSelection(mvpd: token.mvpd, canAuthenticate: true)
        facts.session = PassSession(
            requestor: "R1",
            token: token,
            place: "place",
            epoch: 1,
            number: UInt64(lastCall),
            generation: .separateBuckets
        )
    }

    private mutating func event(_ word: String, _ parts: [String]) throws -> EngineEvent? {
        lastCall += 1
        switch word {
        case "store fails next":
            failsInStore = true
            return nil
        case "another app logs out next":
            losesNext = true
            return nil
        case "the app is another client":
            facts.session = nil
            return nil
        case "the code expires":
            facts.now += 3600
            return nil
        case "the token expires":
            facts.session = nil
            return .storeChanged
        case "another app signs in":
            signIn(try token())
            return .storeChanged
        case "another app logs out":
            (facts.session, facts.chosen) = (nil, MVPDSelection(mvpd: nil, canAuthenticate: false))
            return .storeChanged
        case "time passes":
            return .elapsed(try ticket { [.wait(.poll), .wait(.logOutLeg), .wait(.slowServers)].contains($0) })
        case "lastConfiguration found":
            let last = try #require(engine.purposes.keys.max())
            return .answered(last, try answer(["configuration", "found"]))
        default:
            if let call = try call(parts) { return .called(lastCall, call) }
            return .answered(try ticket(Self.isAnswered(by: parts[0])), try answer(parts))
        }
    }

    private func call(_ parts: [String]) throws -> EntitlementCall? {
        let names = Array(parts.dropFirst())
        return switch parts[0] {
        case "setRequestor": .setRequestor(names[0], serviceProviders: Array(names.dropFirst()))
        case "checkAuthentication": .checkAuthentication
        case "getAuthentication":
            .getAuthentication(SignInOptions(isForced: names == ["forced"], hasFilter: names == ["filtered"]))
        case "setSelectedProvider": .setSelectedProvider(names[0] == "nil" ? nil : names[0])
        case "handleExternalURL": .handleExternalURL(names[0])
        case "checkAuthorization": .authorization(AuthorizationCall(id: lastCall, resource: names[0], signsIn: false))
        case "getAuthorization": .authorization(AuthorizationCall(id: lastCall, resource: names[0], signsIn: true))
        case "checkPreauthorizedResources": .checkPreauthorizedResources(names, usesCache: true)
        case "preauthorize": .preauthorize(PreauthorizeRequest.Builder().setResources(names).build())
        case "getSelectedProvider": .getSelectedProvider
        case "getMetadata": .getMetadata(names == ["expiry"] ? .authentication : .user(names[0]))
        case "logout": .logOut
        case "giveUp": .giveUp(lastCall - (Int(names[0]) ?? 0))
        case "signOut": .userSignedOut(try #require(facts.session))
        default: nil
        }
    }

    private func ticket(_ condition: (Purpose) -> Bool) throws -> Ticket {
        try #require(engine.purposes.filter { condition($0.value) }.keys.min())
    }

    private static func isAnswered(by word: String) -> (Purpose) -> Bool {
        { purpose in
            guard case .question(let purpose) = purpose else { return false }
            return switch (word, purpose) {
            case ("registration", .registration), ("passive", .passive), ("start", .start), ("profile", .profile),
                ("authorization", .authorization), ("mediaToken", .mediaToken), ("decisions", .preauthorization),
                ("metadata", .metadata), ("logOutURL", .logOutURL), ("configuration", .configuration):
                true
            default: false
            }
        }
    }
}

extension EngineScript {
    private func answer(_ parts: [String]) throws -> Result<BackEndAnswer, PassBackendError> {
        if parts[1] == "fails" {
            let retryAfter = parts.count > 3 ? Int(parts[3]).map { Duration.seconds($0) } : nil
            return .failure(PassBackendError(.init(rawValue: parts[2]), retryAfter: retryAfter))
        }
        switch (parts[0], parts[1]) {
        case ("registration", _): return .success(.done)
        case ("configuration", "empty"): return .success(.configuration(PassConfiguration(id: "R1", mvpds: [])))
        case ("configuration", _):
            return .success(.configuration(PassConfiguration(id: "R1", mvpds: [provider, MVPD("M2")])))
        case ("start", "page"):
            return .success(.start(.page(url: "https://login", AuthenticationAttempt(id: "1", state: "s"))))
        case ("start", "code"):
            return .success(.start(.code("ABC", expires: facts.now + 1800, AuthenticationAttempt(id: "1"))))
        case ("start", _): return .success(.start(.signedIn(AuthenticationProfile(try token(), kind: .temporary))))
        case (_, "none"): return .success(parts[0] == "logOutURL" ? .logOutURL(nil) : .profile(nil))
        case ("profile", "degraded"): return .success(.profile(AuthenticationProfile(try token(), kind: .degraded)))
        case ("profile", _), ("passive", _): return .success(.profile(AuthenticationProfile(try token())))
        case ("authorization", _):
            return .success(
                .authorization(
                    AuthorizationAnswer(try authorization("a"), mediaToken: parts[1] == "withToken" ? "T" : nil)
                )
            )
        case ("mediaToken", _): return .success(.mediaToken("T"))
        case ("decisions", _):
            return .success(.decisions(parts.dropFirst().map { .init(id: $0, authorized: true) }))
        case ("metadata", _):
            return .success(.metadata(Data(#"{"updated":1,"encrypted":[],"data":{"zip":["1"]}}"#.utf8)))
        default: return .success(.logOutURL("https://logout"))
        }
    }

    private func token() throws -> AuthenticationToken {
        try AuthenticationToken(
            userID: "person",
            requestor: "R1",
            domain: "",
            mvpd: engine.signIn?.mvpd ?? "M1",
            expires: facts.now + 7200,
            fingerprint: Self.fingerprint
        )
    }

    private func authorization(_ resource: String) throws -> AuthorizationToken {
        try AuthorizationToken(
            requestor: "R1",
            resource: resource,
            mvpd: facts.session?.token.mvpd ?? "M1",
            expires: facts.now + 600,
            fingerprint: Self.fingerprint
        )
    }

    private static func name(_ question: BackEndQuestion, _ request: PassRequest) -> String {
        switch question {
        case .registration: "registration"
        case .configuration: "configuration" + (request.serviceProvider.map { " of \($0)" } ?? "")
        case .start: "start \(request.mvpd ?? "-")"
        case .profile: "profile"
        case .passiveProfile: "passive \(request.mvpd ?? "-")"
        case .authorization(let resource): "authorization \(resource)"
        case .mediaToken: "mediaToken"
        case .preauthorization: "decisions"
        case .userMetadata: "metadata"
        case .logOutURL: "logOutURL"
        }
    }

    private static func name(_ step: StoreStep) -> String {
        switch step {
        case .checkIntegrity: "integrity"
        case .prepare: "prepare"
        case .signIn(let token, _, _): "signIn \(token.mvpd)"
        case .choose(let mvpd, _): "choose \(mvpd ?? "none")"
        case .keep: "keep"
        case .keepPreauthorization, .keepMetadata: "keep answer"
        case .discardDevice: "discard device"
        case .discard: "discard"
        case .wipe: "wipe"
        }
    }

    private static func text(_ response: PreauthorizeResponse) -> String {
        if let status = response.status { return "onFailure \(status.code)" }
        return "onResponse \(response.decisions.filter(\.authorized).map(\.id).joined(separator: " "))"
    }
}

/// A row of a transition table: the earlier events, the event, its effects and the state after it.
struct EngineRow: Sendable, CustomTestStringConvertible {
    let name: String
    var isSecondScreen = false
    var provider = MVPD("M1")
    /// The earlier events.
    let before: [String]
    let event: String
    let effects: [String]
    let after: String

    init(
        _ name: String,
        isSecondScreen: Bool = false,
        _ provider: MVPD = MVPD("M1"),
        after before: [String],
        _ event: String,
        _ effects: [String],
        _ after: String
    ) {
        (self.name, self.isSecondScreen, self.provider) = (name, isSecondScreen, provider)
        (self.before, self.event, self.effects, self.after) = (before, event, effects, after)
    }

    var testDescription: String {
        "row \(name): \(event): \(effects.isEmpty ? "nothing" : effects.joined(separator: ", ")); \(after)"
    }

    /// Plays the row and checks its outcome.
    func check() throws {
        var script = EngineScript(isSecondScreen: isSecondScreen, provider)
        for word in before { try script.play(word) }
        try script.play(event)
        #expect(script.effects == effects)
        #expect(script.state == after)
    }

    static let ready = ["setRequestor R1", "registration done", "configuration found"]
    static let signedIn = ready + ["another app signs in"]
    static let onPage = ready + ["getAuthentication", "setSelectedProvider M1", "start page"]
    static let redirect = "handleExternalURL adobepass://ios.app?state=s"
}
