internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The metadata of an authorization server (RFC 8414), with the time at which it was fetched.
struct FoundMetadata: Sendable, Hashable, Codable {
    /// The size up to which a document is kept in the keyring.
    private static let mostBytes = 1 << 14
    /// The time for which a document is used without fetching it again.
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
    func remainingFreshness(at now: Date) -> Duration? {
        let age = now.timeIntervalSince(date)
        return (0..<Self.longestUse).contains(age) ? Self.freshness - .seconds(age) : nil
    }
}

extension OAuth2 {
    /// Returns the server's endpoints: the configured ones, or those in its metadata, which are fresh for a day. If it
    /// cannot be fetched again, the former one is used for another day.
    ///
    /// The processes of a project share the metadata in the project's record. A sign-in fetches it anew, so that it
    /// finds a server that has changed; so does a request for a page that the server does not have.
    ///
    /// - Parameter isStale: True if the present metadata is known to be wrong.
    func server(toSignIn: Bool = false, isStale: Bool = false) async throws(AuthError) -> ServerMetadata {
        let place = try await client().server.place
        guard case .issuer(let issuerURL) = place else {
            guard case .endpoints(let endpoints) = place else { throw .malformedIssuer }
            return try endpoints.metadata
        }
        if !toSignIn, !isStale {
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
            let freshness = shared.remainingFreshness(at: dependencies.now()),
            lastingMetadata.map({ $0.date < shared.date }) ?? true
        else { return }
        keep(shared, for: freshness)
    }

    private func metadata(of issuerURL: String) async throws(AuthError) -> FoundMetadata {
        var last: AuthError?
        for address in ServerMetadata.addresses(ofAuthorizationServer: issuerURL) {
            switch MetadataAnswer(try await backchannel.response(at: address)) {
            case .document(let document): return FoundMetadata(document: document.members, date: dependencies.now())
            case .elsewhere(let error): last = last ?? error
            case .failed(let error): throw error
            }
        }
        let error = last ?? .malformed("the server's metadata")
        // The network's own page says nothing about the server.
        throw error.code == .networkError ? error : error.advisingEndpoints
    }
}

/// The answer at an address where a server may publish its metadata.
enum MetadataAnswer {
    case document(JSONObject)
    /// There is none here, but there may be one at another address.
    case elsewhere(AuthError)
    /// The server failed. A document at another address is not taken for the one that could not be read.
    case failed(AuthError)

    /// Reads an answer.
    init(_ response: HTTPResponse) {
        let what = "the server's metadata"
        if response.isSuccess, let object = JSONObject(lenient: response.body), object.string("issuer") != nil {
            self = .document(object)
            return
        }
        let error = Backchannel.failure(of: response, what)
        // Some servers answer every address with something, and some refuse those that they do not know.
        let isUnknown = (400..<500).contains(response.status) && ![408, 429].contains(response.status)
        self = response.isSuccess || isUnknown ? .elsewhere(error) : .failed(error)
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
