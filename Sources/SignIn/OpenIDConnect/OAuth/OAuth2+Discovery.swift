internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The metadata of an authorization server (RFC 8414), with the time at which it was fetched.
struct FoundMetadata: Sendable, Hashable, Codable {
    /// The size up to which a document is kept in the keyring.
    private static let mostBytes = 1 << 14
    /// How long a document is used without fetching it again.
    static let freshness: Duration = .seconds(86400)
    /// The seconds for which a document is used if it cannot be fetched again.
    private static let longestUse = 2 * 86400.0

    /// The members of the document.
    var document: [String: JSONValue]
    var date: Date

    /// Returns the metadata.
    ///
    /// - Throws: The reasons that the document is refused.
    func server(named issuerURL: String) throws(AuthError) -> ServerMetadata {
        try ServerMetadata(ofAuthorizationServer: JSONObject(members: document), named: issuerURL)
    }

    /// Indicates whether the document may be kept in the keyring.
    var isStorable: Bool { JSONValue.object(document).bytes.count <= Self.mostBytes }

    /// Returns how long it is still fresh, negative if it no longer is; nil if it is of no use: it is too old, or was
    /// fetched by a clock that was ahead.
    func freshness(at now: Date) -> Duration? {
        let age = now.timeIntervalSince(date)
        return (0..<Self.longestUse).contains(age) ? Self.freshness - .seconds(age) : nil
    }
}

extension OAuth2 {
    /// Returns the server's endpoints: the configured ones, or those in its metadata, which are fresh for a day. If it
    /// cannot be fetched again, the former one is used for another day.
    ///
    /// The processes of a project share the metadata in the project's record. A sign-in fetches it anew, so that it
    /// finds a server that has changed.
    func server(toSignIn: Bool = false) async throws(AuthError) -> ServerMetadata {
        let place = try await client().server.place
        guard case .issuer(let issuerURL) = place else {
            guard case .endpoints(let endpoints) = place else { throw .malformedIssuer }
            return try endpoints.metadata
        }
        if !toSignIn {
            if freshMetadata == nil { await takeOver(named: issuerURL) }
            if let fresh = freshMetadata { return try fresh.server(named: issuerURL) }
        }
        do throws(AuthError) {
            let found = try await metadata(of: issuerURL)
            let server = try found.server(named: issuerURL)
            keep(found, for: FoundMetadata.freshness)
            // A sign-in stores it with all that it knows about the server.
            if !toSignIn, found.isStorable { try? await records?.renew(found) }
            return server
        } catch {
            guard let old = lastingMetadata else { throw error }
            return try old.server(named: issuerURL)
        }
    }

    /// Takes over the metadata that another process has fetched.
    private func takeOver(named issuerURL: String) async {
        guard let shared = try? await records?.read()?.metadata, (try? shared.server(named: issuerURL)) != nil,
            let freshness = shared.freshness(at: dependencies.now()),
            lastingMetadata.map({ $0.date < shared.date }) ?? true
        else { return }
        keep(shared, for: freshness)
    }

    private func metadata(of issuerURL: String) async throws(AuthError) -> FoundMetadata {
        var failure: AuthError?
        for address in ServerMetadata.addresses(ofAuthorizationServer: issuerURL) {
            let document: JSONObject
            do throws(AuthError) {
                document = try await backchannel.document(at: address, "the server's metadata").object
            } catch {
                // If the server cannot be reached, it cannot be reached at another address either.
                if error.underlying is HTTPError { throw error }
                failure = failure ?? error
                continue
            }
            // Some servers answer every address with something.
            guard document.string("issuer") != nil else { continue }
            return FoundMetadata(document: document.members, date: dependencies.now())
        }
        throw (failure ?? .malformed("the server's metadata")).advisingEndpoints
    }
}

extension AuthError {
    /// The error with another remedy besides its own, for a server that publishes no metadata.
    fileprivate var advisingEndpoints: AuthError {
        let advice = [remedy, "If the server publishes no metadata, give its endpoints."]
        return AuthError(
            code,
            message,
            remedy: advice.compactMap(\.self).joined(separator: " "),
            details: details,
            underlying: underlying
        )
    }
}
