internal import Crypto
internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

// The profiles of signed-in users, by TV provider or by the code of a sign-in.

extension Route {
    static let profiles = [
        Route("profile-of-code", "GET", "api/v2/{sp}/profiles/code/{code}") { state, call, now throws(Refusal) in
            let caller = try state.caller(call, now: now)
            guard let session = state.sessions[call.parameter("code")], session.requestor == call.parameter("sp"),
                now < session.expires
            else {
                throw Refusal(
                    400,
                    "invalid_parameter_code",
                    "The code is unknown or has expired. Begin again.",
                    action: "authentication"
                )
            }
            return try state.profiles(of: session.requestor, [session.mvpd].compactMap(\.self), caller, now)
        },
        Route("profile", "GET", "api/v2/{sp}/profiles/{mvpd}") { state, call, now throws(Refusal) in
            let caller = try state.caller(call, now: now)
            return try state.profiles(of: call.parameter("sp"), [call.parameter("mvpd")], caller, now)
        },
        Route("profiles", "GET", "api/v2/{sp}/profiles") { state, call, now throws(Refusal) in
            let caller = try state.caller(call, now: now)
            let programmer = try state.programmer(call.parameter("sp"))
            let active = state.providers.map(\.id).filter { !programmer.disabled.contains($0) }
            return try state.profiles(of: programmer.id, active, caller, now)
        },
    ]
}

extension ServerState {
    /// Returns the caller's profiles with these TV providers, without expired ones.
    fileprivate func profiles(
        of requestor: String,
        _ mvpds: [String],
        _ caller: Caller,
        _ now: Date
    ) throws(Refusal) -> ServedAnswer {
        let programmer = try programmer(requestor)
        var found: [String: JSONValue] = [:]
        for mvpd in mvpds {
            let provider = try provider(mvpd, of: programmer)
            if case .good(let profile) = profiles.find(requestor, provider, for: caller, now: now) {
                found[mvpd] = profile.json(channels: controls.channelCount, trial: trial(of: profile, provider)) {
                    name,
                    value in
                    guard provider.encryptedMetadata.contains(name) else { return .attribute(value, "plain") }
                    return programmer.metadataKey?.encrypt(value.plainText).map { .attribute(.string($0), "enc") }
                }
            }
        }
        return .json(.object(["profiles": .object(found)]))
    }

    private func trial(of profile: Profile, _ provider: Provider) -> (limit: Int, used: Int)? {
        guard let limit = provider.temporaryPass?.resourceLimit else { return nil }
        let trial = passes.trial(profile.requestor, profile.mvpd, for: profile.caller)
        return (limit, trial.resources.count)
    }

    /// Returns the opaque id of a TV provider's user.
    static func userID(of person: String, at mvpd: String) -> String {
        let digest = SHA256.hash(data: Data("\(mvpd)/\(person)".utf8))
        return digest.prefix(16).hexadecimal
    }
}

extension JSONValue {
    /// Returns a metadata value with its state, plain or encrypted.
    fileprivate static func attribute(_ value: JSONValue, _ state: String) -> JSONValue {
        .object(["value": value, "state": .string(state)])
    }

    /// The part of a value that is encrypted: a string itself, or the first element of a list, because an encrypted zip
    /// code is a single text.
    fileprivate var plainText: String {
        switch self {
        case .string(let text): text
        case .array(let values): values.first?.plainText ?? ""
        default: String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension Profile {
    /// Returns the profile as it is in responses. `attribute` converts each attribute; those with nil are left out.
    fileprivate func json(
        channels: Int,
        trial: (limit: Int, used: Int)?,
        attribute: (String, JSONValue) -> JSONValue?
    ) -> JSONValue {
        var attributes: [String: JSONValue] = ["userID": .string(user)]
        if kind == .regular || kind == .serviceToken {
            attributes["upstreamUserID"] = .string(user)
            attributes["householdID"] = .string("household-\(user.prefix(8))")
            attributes["zip"] = .array([.string("12345")])
            attributes["maxRating"] = .object(["MPAA": .string("PG-13"), "VCHIP": .string("TV-14")])
            attributes["language"] = .string("en")
            if channels > 0 { attributes["channelID"] = .array((1...channels).map { .string("channel-\($0)") }) }
        }
        if let trial {
            attributes["remaining_resources"] = .string("\(max(0, trial.limit - trial.used))")
            attributes["used_assets"] = .string("\(trial.used)")
        }
        return .object([
            "notBefore": .time(begins), "notAfter": .time(expires), "issuer": .string(mvpd),
            "type": .string(kind.rawValue),
            "attributes": .object(
                [String: JSONValue](
                    uniqueKeysWithValues: attributes.compactMap { name, value in
                        attribute(name, value).map { (name, $0) }
                    }
                )
            ),
        ])
    }
}
