internal import FoundationEssentials
internal import LoopbackServer
internal import PassAuth
internal import SharedAuth

// Decisions: which resources the user may watch, for display (preauthorize) and for playing (authorize).

extension Route {
    static let decisions = [
        Route("preauthorize", "POST", "api/v2/{sp}/decisions/preauthorize/{mvpd}") { state, call, now throws(Refusal) in
            try state.decide(call, now, isForPlaying: false)
        },
        Route("authorize", "POST", "api/v2/{sp}/decisions/authorize/{mvpd}") { state, call, now throws(Refusal) in
            try state.decide(call, now, isForPlaying: true)
        },
    ]
}

/// The decision about one resource.
private struct Decision {
    let source: String
    var refusal: Refusal?
}

extension ServerState {
    fileprivate mutating func decide(_ call: Call, _ now: Date, isForPlaying: Bool) throws(Refusal) -> ServedAnswer {
        let caller = try caller(call, now: now)
        let programmer = try programmer(call.parameter("sp"))
        let provider = try provider(call.parameter("mvpd"), of: programmer)
        let context = CallContext(programmer: programmer, provider: provider, caller: caller, now: now)
        let isJSON = call[header: "Content-Type"]?.hasPrefix("application/json") == true
        guard isJSON, let resources = call.json?["resources"]?.strings, !resources.isEmpty else {
            throw Refusal(400, "invalid_parameter_resources", "The posted JSON has no list named resources.")
        }
        let profile = try profile(in: context)
        if let limit = isForPlaying ? 1 : provider.preauthorizationLimit, resources.count > limit {
            throw Refusal(
                403,
                "too_many_resources",
                "A request may have at most \(limit) resources.",
                action: "configuration"
            )
        }
        var decisions: [JSONValue] = []
        for resource in resources {
            let decision = try decide(resource, for: profile, in: context, isForPlaying: isForPlaying)
            var members = decision.members(for: resource, in: context)
            if isForPlaying, decision.refusal == nil {
                members.merge(try permission(for: resource, of: profile, in: context)) { $1 }
            }
            decisions.append(.object(members))
            journal.note(
                isForPlaying ? "authorize" : "preauthorize",
                [
                    "requestor": programmer.id, "mvpd": provider.id, "resource": resource,
                    "authorized": "\(decision.refusal == nil)", "source": decision.source,
                ]
            )
        }
        return .json(.object(["decisions": .array(decisions)]))
    }

    /// Returns the sign-in that a decision is for. It must be from the same device, and its domain must still be one of
    /// the programmer's.
    private mutating func profile(in context: CallContext) throws(Refusal) -> Profile {
        let (programmer, provider) = (context.programmer, context.provider)
        switch profiles.find(programmer.id, provider, for: context.caller, now: context.now) {
        case .good(let profile):
            let owner = try self.programmer(profile.requestor)
            guard owner.domains.contains(profile.domain) else {
                throw Refusal(
                    403,
                    "invalid_parameter_domain_name",
                    "The sign-in was made for a domain that no longer belongs to the programmer.",
                    action: "configuration"
                )
            }
            return profile
        case .expired:
            if provider.temporaryPass != nil { throw .temporaryPassIsOver }
            throw Refusal(403, "authenticated_profile_expired", "The sign-in has expired.", action: "authentication")
        case .otherDevice:
            journal.note("device-mismatch", ["requestor": programmer.id, "mvpd": provider.id])
            throw Refusal(
                403,
                "invalid_header_device_identifier",
                "The sign-in was made on another device.",
                action: "authentication"
            )
        case .none:
            throw Refusal(403, "authenticated_profile_missing", "No user is signed in.", action: "authentication")
        }
    }

    private mutating func decide(
        _ resource: String,
        for profile: Profile,
        in context: CallContext,
        isForPlaying: Bool
    ) throws(Refusal) -> Decision {
        let provider = context.provider
        switch provider.degradation {
        case .authenticatesAll, .authorizesAll: return Decision(source: "degradation")
        case .authorizesNone:
            return Decision(
                source: "degradation",
                refusal: Refusal(
                    403,
                    "authorization_denied_by_degradation_rule",
                    "\(provider.displayName) is out of order, and permits nothing for now.",
                    action: "degradation"
                )
            )
        case nil: break
        }
        if provider.temporaryPass != nil {
            guard isForPlaying else { return Decision(source: "temppass") }
            return Decision(source: "temppass", refusal: useTemporaryPass(resource, of: profile, in: context))
        }
        let document = resource.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if document.first == "<", !document.hasSuffix("</rss>") {
            return Decision(
                source: "mvpd",
                refusal: Refusal(400, "malformed_authz_request", "The resource is neither an id nor valid media RSS.")
            )
        }
        guard let words = provider.refusal(of: resource) else { return Decision(source: "mvpd") }
        return Decision(
            source: "mvpd",
            refusal: Refusal(
                403,
                isForPlaying ? "authorization_denied_by_mvpd" : "preauthorization_denied_by_mvpd",
                "The TV provider does not permit it.",
                details: words
            )
        )
    }

    /// Returns the members of a permission to play a resource: a media token and the lifetime of the permission.
    private mutating func permission(
        for resource: String,
        of profile: Profile,
        in context: CallContext
    ) throws(Refusal) -> [String: JSONValue] {
        let now = context.now
        mediaTokenCount += 1
        let lifetime = Duration.seconds(controls.lifetimes.mediaToken) + .milliseconds(mediaTokenCount % 1000)
        do throws(PassTokenError) {
            let token = try MediaToken(
                sessionGUID: profile.user,
                requestor: context.programmer.id,
                resource: resource,
                mvpd: context.provider.id,
                issued: now,
                lifetime: lifetime,
                signedWith: key.signing
            )
            return [
                "token": .object([
                    "notBefore": .time(now), "notAfter": .time(now + controls.lifetimes.mediaToken),
                    "serializedToken": .string(token.serialized),
                ]),
                "notBefore": .time(now),
                "notAfter": .time(min(profile.expires, now + controls.lifetimes.authorization)),
            ]
        } catch {
            throw Refusal(500, "internal_error", error.message)
        }
    }
}

extension Decision {
    /// Returns the members of the decision in a response, without those of a permission to play.
    fileprivate func members(for resource: String, in context: CallContext) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "resource": .string(resource), "serviceProvider": .string(context.programmer.id),
            "mvpd": .string(context.provider.id), "source": .string(source), "authorized": .bool(refusal == nil),
        ]
        members["error"] = refusal?.json
        return members
    }
}
