public import FoundationEssentials
public import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// A sign-in that waits for a person on a second screen, as the app on that screen sees it by its code.
public struct PassCodeSession: Sendable, Hashable {
    /// The code that the person typed.
    public let code: String
    /// The programmer.
    public let requestor: String
    /// The TV provider that was chosen, if one was.
    public let mvpd: String?
    /// The parameters missing before the person can sign in, by their names in REST v2: `mvpd`, `domainName`,
    /// `redirectUrl`.
    public let missingParameters: Set<String>
    /// When the code expires, by this machine's clock; nil if the server does not say.
    public let expires: Date?

    fileprivate init(_ object: JSONObject, _ code: String, _ requestor: String, at date: Date) {
        self.code = code
        self.requestor = requestor
        let existing = JSONObject(object.members["existingParameters"])
        mvpd = existing?.string("mvpd") ?? object.string("mvpd")
        // A sample has the one for the other.
        let missing = object.strings("missingParameters") ?? []
        missingParameters = Set(missing.map { $0 == "domain" ? "domainName" : $0 })
        let (start, end) = (object.milliseconds("notBefore"), object.milliseconds("notAfter"))
        expires = end.map { end in start.map { date + end.timeIntervalSince($0) } ?? end }
    }
}

extension PassCodeSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The programmer; whoever knows the code may end the sign-in.
    public var description: String { "PassCodeSession(\(requestor))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PassRESTBackend {
    /// The sign-in that a code stands for: for an app that is the second screen.
    ///
    /// - Parameters:
    ///   - code: The code that the person typed.
    ///   - requestor: The programmer.
    ///   - device: The device that the second screen is on.
    ///   - options: The options of the request.
    /// - Throws: `codeExpired` for a code that has expired, or was never issued.
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

    /// Gives a sign-in what it lacks, and returns the address of its login page, to be opened on this screen.
    ///
    /// - Parameters:
    ///   - session: The sign-in.
    ///   - mvpd: The TV provider; nil: the one that was chosen.
    ///   - domain: The programmer's domain.
    ///   - redirectURL: The last address of the page.
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
            throw PassBackendError(.badRequest, "The sign-in cannot go on with what it was given.")
        }
        return try answer.server.address(of: url)
    }
}
