public import FoundationEssentials
public import PassAuth
public import SharedAuth
internal import SharedAuthHTTP

/// A sign-in that waits for the user on a second screen. The app on that screen finds it by its code.
public struct PassCodeSession: Sendable, Hashable {
    /// The code that the user typed.
    public let code: String
    /// The programmer.
    public let requestor: String
    /// The selected TV provider, if any.
    public let mvpd: String?
    /// The parameters that are missing before the user can sign in, by their names in REST v2: `mvpd`, `domainName`
    /// and `redirectUrl`.
    public let missingParameters: Set<String>
    /// The expiry date of the code by this machine's clock; nil if the server does not return one.
    public let expires: Date?

    fileprivate init(_ object: JSONObject, _ code: String, _ requestor: String, at date: Date) {
        self.code = code
        self.requestor = requestor
        let existing = JSONObject(object.members["existingParameters"])
        mvpd = existing?.string("mvpd") ?? object.string("mvpd")
        // A sample in the REST v2 documentation uses `domain` for `domainName`.
        let missing = object.strings("missingParameters") ?? []
        missingParameters = Set(missing.map { $0 == "domain" ? "domainName" : $0 })
        let (start, end) = (object.milliseconds("notBefore"), object.milliseconds("notAfter"))
        expires = end.map { end in start.map { date + end.timeIntervalSince($0) } ?? end }
    }
}

extension PassCodeSession: Redacted {
    /// The programmer. The code is left out because anyone who knows it can complete the sign-in.
    public var description: String { "PassCodeSession(\(requestor))" }
}

extension PassRESTBackend {
    /// Returns the sign-in with a code. Used by an app that is the second screen.
    ///
    /// - Parameters:
    ///   - code: The code that the user typed.
    ///   - requestor: The programmer.
    ///   - device: The device that the second screen is on.
    ///   - options: The options of the request.
    /// - Throws: `codeExpired` for a code that has expired or was never issued.
    public func session(
        withCode code: String,
        of requestor: String,
        on device: DeviceIdentity,
        options: ClientOptions = ClientOptions()
    ) async throws(PassBackendError) -> PassCodeSession {
        let caller = Caller(requestor: requestor, fingerprint: device.fingerprint, options: options)
        let answer = try await answer(to: .session(requestor, code), for: caller)
        return PassCodeSession(answer.object, code, requestor, at: now())
    }

    /// Sends the missing parameters of a sign-in, and returns the address of its login page to open on this screen.
    ///
    /// - Parameters:
    ///   - session: The sign-in.
    ///   - mvpd: The TV provider. If nil, the selected one is used.
    ///   - domain: The programmer's domain.
    ///   - redirectURL: The address that the login page redirects to at the end.
    ///   - device: The device that the second screen is on.
    ///   - options: The options of the request.
    /// - Throws: `codeExpired`; `badRequest` if something is still missing.
    public func resume(
        _ session: PassCodeSession,
        mvpd: String? = nil,
        domain: String,
        redirectURL: String,
        on device: DeviceIdentity,
        options: ClientOptions = ClientOptions()
    ) async throws(PassBackendError) -> String {
        let caller = Caller(requestor: session.requestor, fingerprint: device.fingerprint, options: options)
        let parameters = SessionParameters(mvpd: mvpd ?? session.mvpd, domain: domain, redirectURL: redirectURL)
        let answer = try await answer(to: .resumeSession(session.requestor, session.code, parameters), for: caller)
        let resumed = try SessionAnswer(answer.object)
        guard resumed.action == .authenticate, let url = resumed.url else {
            throw PassBackendError(.badRequest, "The sign-in cannot continue: a parameter is missing or wrong.")
        }
        return try answer.server.address(of: url)
    }
}
