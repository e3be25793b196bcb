internal import FoundationEssentials
internal import LoopbackServer
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

// The stand-in's own endpoints: token formats without a documented Pass endpoint, and tasks of a programmer's back end.

extension Route {
    static let tokens = [
        Route("key", "GET", "standin/key") { state, _, _ throws(Refusal) in .text(state.key.publicKey) },
        Route("authn-token", "GET", "standin/tokens/authn/{sp}/{mvpd}") { state, call, now throws(Refusal) in
            let (profile, caller) = try state.signedIn(call, now)
            return try .fragment { () throws(PassTokenError) in
                try AuthenticationToken(
                    userID: profile.user,
                    requestor: profile.requestor,
                    domain: profile.domain,
                    mvpd: profile.mvpd,
                    expires: profile.expires,
                    fingerprint: caller.fingerprint,
                    signedWith: state.key.signing
                ).serialized
            }
        },
        Route("authz-token", "GET", "standin/tokens/authz/{sp}/{mvpd}") { state, call, now throws(Refusal) in
            let (profile, caller) = try state.signedIn(call, now)
            let resource = call.query["resource"] ?? ""
            if try state.provider(profile.mvpd).refusal(of: resource) != nil {
                throw Refusal(403, "authorization_denied_by_mvpd", "The TV provider does not permit it.")
            }
            return try .fragment { () throws(PassTokenError) in
                try AuthorizationToken(
                    requestor: call.parameter("sp"),
                    resource: resource,
                    mvpd: profile.mvpd,
                    expires: now + state.controls.lifetimes.authorization,
                    fingerprint: caller.fingerprint,
                    signedWith: state.key.signing
                ).serialized
            }
        },
        Route("verify", "POST", "standin/verify") { state, call, now throws(Refusal) in state.verify(call, now) },
        Route("service-token", "GET", "standin/service-token/{subject}") { state, call, now throws(Refusal) in
            guard let token = state.key.serviceToken(for: call.parameter("subject"), now: now) else {
                throw Refusal(500, "internal_error", "The service token could not be signed.")
            }
            return .text(token)
        },
    ]
}

extension ServerState {
    fileprivate func signedIn(_ call: Call, _ now: Date) throws(Refusal) -> (Profile, Caller) {
        let caller = try caller(call, now: now)
        let programmer = try programmer(call.parameter("sp"))
        let provider = try provider(call.parameter("mvpd"), of: programmer)
        guard case .good(let profile) = profiles.find(programmer.id, provider, for: caller, now: now) else {
            throw Refusal(403, "authenticated_profile_missing", "No user is signed in.", action: "authentication")
        }
        return (profile, caller)
    }

    /// Checks a media token as a programmer's back end does, and accepts it once.
    fileprivate mutating func verify(_ call: Call, _ now: Date) -> ServedAnswer {
        var verification: MediaTokenVerification?
        if let json = call.json, let token = json["token"]?.string, let requestor = json["requestor"]?.string {
            let verifier = MediaTokenVerifier(publicKey: key.signing.publicKey, requestor: requestor, now: { now })
            verification = verifier.verify(token, resource: json["resource"]?.string)
        }
        let status = verification?.status ?? .unknown
        var isAccepted = false
        if status == .valid, let id = verification?.token?.id { isAccepted = usedMediaTokens.insert(id).inserted }
        journal.note("verify", ["status": status.rawValue, "accepted": "\(isAccepted)"])
        let reason =
            verification?.reason
            ?? (verification == nil
                ? "Post JSON with the members token, requestor and optionally resource."
                : isAccepted ? nil : "The token was used before. Request a new one.")
        return .json(
            JSONValue.object([
                "status": .string(status.rawValue), "accepted": .bool(isAccepted), "reason": JSONValue(reason),
            ]).withoutNulls
        )
    }
}

extension ServedAnswer {
    fileprivate static func fragment(_ make: () throws(PassTokenError) -> String) throws(Refusal) -> ServedAnswer {
        do throws(PassTokenError) {
            return .text(try make(), headers: [:])
        } catch {
            throw Refusal(400, "invalid_parameter_resources", error.message)
        }
    }
}
