internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// A profile of REST v2: a sign-in, and the TV provider's user metadata.
struct Profile: Sendable {
    private let kind: AuthenticationProfile.Kind
    private let expires: Date
    private let attributes: [String: JSONValue]
    private let updated: Date

    /// Reads a TV provider's profile from a response. Nil if the response has none; servers omit expired profiles.
    ///
    /// - Throws: `invalidAnswer` for a malformed profile.
    init?(of mvpd: String, in answer: RESTAnswer, at date: Date) throws(PassBackendError) {
        guard let profiles = JSONObject(answer.object.members["profiles"]) else { throw Self.damaged }
        guard let found = profiles.members[mvpd] else { return nil }
        guard let profile = JSONObject(found), let expires = profile.milliseconds("notAfter") else {
            throw Self.damaged
        }
        self.expires = ClockSkew(serverDate: answer.date, at: date).moment(expires)
        kind =
            switch profile.string("type") {
            case "degraded": .degraded
            case "temporary": .temporary
            default: .regular
            }
        attributes = JSONObject(profile.members["attributes"])?.members ?? [:]
        updated = answer.date ?? date
    }

    /// Returns an unsigned token for the profile, with the user metadata.
    ///
    /// If the profile has no plain user id, the user id is a digest of TV provider, client and device.
    ///
    /// - Throws: `invalidAnswer` for a profile that a token cannot represent.
    func authenticated(
        as caller: Caller,
        _ mvpd: String,
        _ client: RegisteredClient
    ) throws(PassBackendError) -> AuthenticationProfile {
        let nameless = "\(mvpd)\n\(client.digest)\n\(caller.fingerprint)"
        let userID = id("userID") ?? id("upstreamUserID") ?? Digest.fingerprint(of: nameless)
        do throws(PassTokenError) {
            let token = try AuthenticationToken(
                profileOf: userID,
                requestor: caller.requestor,
                mvpd: mvpd,
                expires: expires,
                fingerprint: caller.fingerprint,
                client: client.digest
            )
            return AuthenticationProfile(token, kind: kind, userMetadata: userMetadata)
        } catch {
            throw PassBackendError(.invalidAnswer, "The profile cannot be stored. \(error.message)")
        }
    }

    /// Returns an attribute that is an id: a string or an integer. Nil if it is encrypted, because the encrypted text
    /// differs each time.
    private func id(_ name: String) -> String? {
        guard let attribute = JSONObject(attributes[name]), attribute.string("state") != "enc" else { return nil }
        return attribute.string("value")
            ?? attribute.members["value"]?.number.flatMap { Int64(exactly: $0) }.map { String($0) }
    }

    /// The TV provider's user metadata in the format of the SDK's servers.
    var userMetadata: Data {
        var (data, encrypted): ([String: JSONValue], [String]) = ([:], [])
        for (name, attribute) in attributes {
            guard let object = JSONObject(attribute), let value = object.members["value"] else { continue }
            data[name] = value
            if object.string("state") == "enc" { encrypted.append(name) }
        }
        return Data(
            JSONValue.object([
                "updated": .number(updated.timeIntervalSince1970.rounded(.down)),
                "encrypted": .array(encrypted.sorted().map { .string($0) }),
                "data": .object(data),
            ]).bytes
        )
    }

    private static var damaged: PassBackendError {
        PassBackendError(.invalidAnswer, "The response from Pass has no valid profile.")
    }
}
