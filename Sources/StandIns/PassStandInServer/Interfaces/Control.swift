internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth

// Controls for tests, and the events that tests read. Orders must be JSON, which an HTML form in a browser cannot send.

extension Route {
    static let control =
        [
            Route("events", "GET", "control/events") { state, call, _ throws(Refusal) in
                let after = call.query["after"].flatMap { Int($0) } ?? 0
                return .json(.array(state.journal.events(after: after).map(\.json)))
            }
        ] + controls.map(Route.init(control:))

    private init(control: (name: String, change: Change)) {
        self.init("control", "POST", "control/\(control.name)") { state, call, now throws(Refusal) in
            guard let json = call.json else {
                throw Refusal(400, "not_json", "Post JSON with the header Content-Type: application/json.")
            }
            let answer = try control.change(&state, Order(json: json, now: now))
            state.journal.note("turned", ["knob": control.name])
            return .json(answer)
        }
    }

    private typealias Change = @Sendable (inout ServerState, Order) throws(Refusal) -> JSONValue

    private static let controls: [(name: String, change: Change)] = [
        (
            "clock",
            { state, order throws(Refusal) in
                state.controls.clockOffset = try order.number("offset", in: Order.times)
                return .object([:])
            }
        ),
        (
            "latency",
            { state, order throws(Refusal) in
                state.controls.latencies[try order.endpoint] = try order.number("seconds", in: 0...86_400)
                return .object([:])
            }
        ),
        (
            "fault",
            { state, order throws(Refusal) in
                guard let fault = TestControls.Fault(rawValue: try order.text("fault")) else {
                    throw .order("fault", TestControls.Fault.allCases.map(\.rawValue))
                }
                state.controls.faults[try order.endpoint] = (fault, try order.count("times") ?? 1)
                return .object([:])
            }
        ),
        (
            "throttle",
            { state, order throws(Refusal) in
                state.throttle = Throttle(
                    rate: try order.number("rate", in: 0...1_000_000),
                    burst: try order.number("burst", in: 0...1_000_000)
                )
                return .object([:])
            }
        ),
        (
            "lifetimes",
            { state, order throws(Refusal) in
                var lifetimes = state.controls.lifetimes
                lifetimes.accessToken = try order.time("accessToken") ?? lifetimes.accessToken
                lifetimes.profile = try order.time("profile") ?? lifetimes.profile
                lifetimes.authorization = try order.time("authorization") ?? lifetimes.authorization
                lifetimes.mediaToken = try order.time("mediaToken") ?? lifetimes.mediaToken
                lifetimes.temporaryPass = try order.time("temporaryPass") ?? lifetimes.temporaryPass
                state.controls.lifetimes = lifetimes
                return .object([:])
            }
        ),
        (
            "metadata",
            { state, order throws(Refusal) in
                state.controls.channelCount = Int(try order.number("channels", in: 0...100_000))
                return .object([:])
            }
        ),
        (
            "issue-statement",
            { state, order throws(Refusal) in
                let application = try order.optional("application", order.text) ?? "app"
                let lifetime = try order.time("lifetime")
                let made = try? state.statements.statement(for: application, lifetime: lifetime, now: order.now)
                guard let made else { throw Refusal(500, "internal_error", "The statement could not be signed.") }
                return .object(["statement": .string(made)])
            }
        ),
        (
            "revoke-statement",
            { state, order throws(Refusal) in
                state.statements.revoke(try order.text("statement"))
                return .object([:])
            }
        ),
        (
            "forget",
            { state, order throws(Refusal) in
                switch try order.text("what") {
                case "access-tokens": state.registrations.forgetTokens()
                case "clients": state.registrations.forgetClients()
                case "profiles": state.profiles.removeAll()
                case "temporary-passes": state.passes.reset()
                default: throw .order("what", ["access-tokens", "clients", "profiles", "temporary-passes"])
                }
                return .object([:])
            }
        ),
        (
            "degradation",
            { state, order throws(Refusal) in
                let mvpd = try order.text("mvpd")
                guard let index = state.providers.firstIndex(where: { $0.id == mvpd }) else {
                    throw .order("mvpd", state.providers.map(\.id))
                }
                let rule = try order.optional("rule", order.text)
                guard rule == nil || Provider.Degradation(rawValue: rule ?? "") != nil else {
                    throw .order("rule", Provider.Degradation.allCases.map(\.rawValue))
                }
                state.providers[index].degradation = rule.flatMap(Provider.Degradation.init)
                return .object([:])
            }
        ),
        (
            "integration",
            { state, order throws(Refusal) in
                let requestor = try order.text("requestor")
                guard let index = state.programmers.firstIndex(where: { $0.id == requestor }) else {
                    throw .order("requestor", state.programmers.map(\.id))
                }
                let mvpd = try order.text("mvpd")
                guard state.providers.contains(where: { $0.id == mvpd }) else {
                    throw .order("mvpd", state.providers.map(\.id))
                }
                guard let isEnabled = order.json["isEnabled"]?.bool else {
                    throw .order("isEnabled", ["true", "false"])
                }
                if isEnabled {
                    state.programmers[index].disabled.remove(mvpd)
                } else {
                    state.programmers[index].disabled.insert(mvpd)
                }
                return .object([:])
            }
        ),
        (
            "domains",
            { state, order throws(Refusal) in
                let requestor = try order.text("requestor")
                guard let index = state.programmers.firstIndex(where: { $0.id == requestor }) else {
                    throw .order("requestor", state.programmers.map(\.id))
                }
                guard let domains = order.json["domains"]?.strings else {
                    throw .order("domains", ["a list of strings"])
                }
                state.programmers[index].domains = domains
                return .object([:])
            }
        ),
        (
            "metadata-key",
            { state, order throws(Refusal) in
                let requestor = try order.text("requestor")
                guard let index = state.programmers.firstIndex(where: { $0.id == requestor }) else {
                    throw .order("requestor", state.programmers.map(\.id))
                }
                guard let key = MetadataEncryptionKey(pem: try order.text("publicKey")) else {
                    throw .order("publicKey", ["an RSA key in PEM, PUBLIC KEY"])
                }
                state.programmers[index].metadataKey = key
                return .object([:])
            }
        ),
    ]
}

/// An order posted to a control.
private struct Order {
    let json: JSONValue
    let now: Date

    /// The range of time differences in seconds: about 30 years.
    static let times = -1e9...1e9

    func number(_ name: String, in range: ClosedRange<Double>) throws(Refusal) -> Double {
        if let number = json[name]?.number, range.contains(number) { return number }
        throw .order(name, ["a number from \(range.lowerBound) to \(range.upperBound)"])
    }

    /// Returns an optional member as `read` reads it; nil if it is missing or null.
    func optional<Value>(_ name: String, _ read: (String) throws(Refusal) -> Value) throws(Refusal) -> Value? {
        switch json[name] {
        case nil, .null?: nil
        default: try read(name)
        }
    }

    /// Returns a time in seconds; nil if the member is missing.
    func time(_ name: String) throws(Refusal) -> Double? {
        try optional(name) { name throws(Refusal) in try number(name, in: Self.times) }
    }

    /// Returns a nonnegative integer; nil if the member is missing.
    func count(_ name: String) throws(Refusal) -> Int? {
        try optional(name) { name throws(Refusal) in
            if let count = json[name]?.number.flatMap({ Int(exactly: $0) }), count >= 0 { return count }
            throw .order(name, ["a whole number"])
        }
    }

    func text(_ name: String) throws(Refusal) -> String {
        if let text = json[name]?.string { return text }
        throw .order(name, ["a string"])
    }

    var endpoint: String {
        get throws(Refusal) {
            let name = try text("endpoint")
            if Route.all.contains(where: { $0.name == name }) { return name }
            throw .order("endpoint", Route.all.map(\.name))
        }
    }
}

extension Refusal {
    fileprivate static func order(_ member: String, _ values: [String]) -> Refusal {
        Refusal(400, "wrong_order", "The member \(member) must be one of: \(values.joined(separator: ", ")).")
    }
}
