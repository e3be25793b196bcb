internal import CommandLineSupport
internal import OpenIDConnect
internal import SharedAuth
internal import SharedAuthFleet

/// The ends of sessions at their issuers, after their users were signed out of the fleet.
struct SessionEnds {
    /// A session that is not known to have ended at its issuer.
    struct Rest {
        let session: SharedAuthFleet.Fleet.Session
        let reason: String
    }

    /// The sessions that ended.
    private(set) var ended: [SharedAuthFleet.Fleet.Session] = []
    /// The others, which the person can end at the issuer.
    private(set) var rest: [Rest] = []

    /// Ends sessions that an OpenID provider or an OAuth 2 server issued. The tool does not know how to end others.
    ///
    /// - Parameters:
    ///   - store: This device's own store, which knows the OAuth 2 servers.
    ///   - project: The project of the sessions.
    init(_ sessions: [SharedAuthFleet.Fleet.Session], in store: any RecordStore, project: String) {
        for session in sessions {
            if let reason = Self.end(session, store, project) {
                rest.append(Rest(session: session, reason: reason))
            } else {
                ended.append(session)
            }
        }
    }

    /// Ends a session. Returns the reason if it may not have ended.
    private static func end(
        _ session: SharedAuthFleet.Fleet.Session,
        _ store: any RecordStore,
        _ project: String
    ) -> String? {
        let secret = ClientSecret.ofEnvironment(for:)
        let issuer = session.issuer ?? ""
        guard let provider = RemoteIssuer.provider(named: issuer, in: store, project: project, secret: secret) else {
            return "the tool can end sessions of OpenID providers and OAuth 2 servers only"
        }
        do throws(AuthError) {
            try result { () async throws(AuthError) in try await provider.revoke(session.tokens) }
        } catch {
            return error.message
        }
        return switch provider.keptSession {
        case .notOffered: "the provider does not end sessions for an app"
        case .notToPublicClients: "the provider ends sessions only for a client with a secret"
        case nil: nil
        }
    }

    /// Prints a line for each session.
    func print() throws {
        for session in ended {
            try StandardOutput.write(line: "Ended the session of \(session.uid) at \(session.issuerName).")
        }
        for entry in rest {
            let place = "the session of \(entry.session.uid) at \(entry.session.issuerName)"
            try StandardOutput.write(line: "End \(place) there, with a browser: \(entry.reason).")
        }
    }

    /// The sessions as JSON.
    var json: JSONValue {
        let done = ended.map { JSONValue.object($0.members) }
        let open = rest.map { JSONValue.object($0.session.members.merging(["reason": .string($0.reason)]) { $1 }) }
        return .object(["ended": .array(done), "notEnded": .array(open)])
    }
}

extension SharedAuthFleet.Fleet.Session {
    /// The issuer without the client id of an OpenID provider or an OAuth 2 server.
    fileprivate var issuerName: String {
        issuer.map { OpenIDClient(issuer: $0)?.issuerURL ?? OAuthClient.parts(of: $0)?.url ?? $0 }
            ?? "the app's identity provider"
    }

    fileprivate var members: [String: JSONValue] { ["uid": .string(uid), "issuer": JSONValue(issuer)] }
}
