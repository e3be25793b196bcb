internal import FoundationEssentials
public import PassAuth
internal import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// Answers an `AccessEnabler` by REST v2, with dynamic client registration.
///
/// The app's client is kept in its own slot (`StoredClients`); access tokens are kept in memory, and renewed before they
/// expire: once, however many calls need one. A client that the server refuses is registered again, once; a second refusal
/// is `notRegistered`, until `setRequestor` is called again.
///
/// A profile of REST v2 belongs to one client. Apps of a group therefore need ``Settings/serviceToken`` to share a sign-in. Without
/// one, another app's sign-in does not count here, and the person signs in once in each app.
///
/// Calls may be made from any task, several at a time. For errors, see `PassBackendError`; the code `network` is also used if the
/// network answers with a page of its own, such as a login page.
public final class PassRESTBackend: PassBackend {
    /// The settings of a back end.
    public struct Settings: Sendable {
        /// The transport of the requests.
        public var transport: any HTTPTransport = .libsoup
        /// The limits of requests. By default, nothing is sent again but for a new access token or client.
        public var policy: HTTPPolicy
        /// Gives the signed statement (JWS) of who uses the app, from the app's own service: the header
        /// `AD-Service-Token`. With the same person in it, each app of a group is signed in by one app's sign-in.
        public var serviceToken: (@Sendable () async throws -> String)?
        /// The person that a promotional temporary pass is for, such as `email` with a digest of the address; sign-in
        /// data of the AccessEnabler goes before it. Sent as the header `AP-TempPass-Identity`.
        public var temporaryPassIdentity: [String: String]?
        /// The address to register with, where the software statement wants one.
        public var registrationRedirectURI: String?

        /// Makes settings of the defaults.
        public init() {
            policy = HTTPPolicy()
            policy.retryLimit = 0
        }
    }

    private struct State {
        var softwareStatement: String?
        var access: [PassServer: ClientAccess] = [:]
    }

    let endpoints: PassEndpoints
    let settings: Settings
    let now: @Sendable () -> Date
    private let clients: AsyncStoredClients
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Makes one; nothing is sent or read yet.
    ///
    /// - Parameters:
    ///   - endpoints: The addresses of the servers.
    ///   - clients: The store of the app's client; `PassSetup.clients`.
    ///   - settings: The settings of a back end.
    public convenience init(_ endpoints: PassEndpoints, clients: StoredClients, settings: Settings = Settings()) {
        self.init(
            endpoints,
            clients: clients,
            settings: settings,
            elapsed: ContinuousClock.stopwatch(),
            now: { Date() }
        )
    }

    /// - Parameters:
    ///   - elapsed: the time since some moment, by a clock that nobody sets.
    ///   - now: the time of day.
    init(
        _ endpoints: PassEndpoints,
        clients: StoredClients,
        settings: Settings,
        elapsed: @escaping @Sendable () -> Duration,
        now: @escaping @Sendable () -> Date
    ) {
        self.endpoints = endpoints
        self.clients = AsyncStoredClients(clients)
        self.settings = settings
        self.elapsed = elapsed
        self.now = now
    }

    /// The app's own client at each server that it speaks to; any with ``Settings/serviceToken``, and before the app
    /// has registered.
    public var profileClients: ProfileClients {
        if settings.serviceToken != nil { return .any }
        let clients = state.withLock { Array($0.access.values) }.compactMap { $0.client?.digest }
        return clients.isEmpty ? .any : .only(Set(clients))
    }

    /// Registers the app with the default server, unless it is registered, and gets an access token.
    public func register(_ softwareStatement: String, _ options: ClientOptions) async throws(PassBackendError) {
        let access = access(to: endpoints.server)
        let all = state.withLock { state in
            state.softwareStatement = softwareStatement
            return Array(state.access.values)
        }
        for each in all { await each.begin() }
        _ = try await access.current(for: try applicant(options))
    }

    /// Sends a call, with an access token, and again with a new one or as a new client where the server wants that.
    func answer(to call: RESTCall, for caller: Caller) async throws(PassBackendError) -> RESTAnswer {
        let server = try endpoints.server(named: caller.serviceProvider)
        let access = access(to: server)
        let applicant = try applicant(caller.options)
        let personal = try await personalHeaders(of: call, caller)
        var refusals = CallRefusals()
        var granted = try await access.current(for: applicant)
        while true {
            let request = try call.request(to: server, for: caller, granted.token, personal)
            let response = try await http.response(to: request, isRepeatable: call.isRepeatable)
            let answer = ServerAnswer(response, at: now())
            let isOfStatement = granted.client.isMade(of: applicant.softwareStatement)
            switch refusals.next(after: answer.refusal, isOfStatement: isOfStatement) {
            case .accept:
                do throws(PassBackendError) {
                    let object = try answer.object()
                    return RESTAnswer(object: object, date: response.date, client: granted.client, server: server)
                } catch {
                    throw caller.attributed(error, to: granted.client)
                }
            case .newToken: granted = try await access.current(for: applicant, after: .token(granted.token))
            case .newClient: granted = try await access.current(for: applicant, after: .client(granted.client))
            case .fail(let error): throw error
            }
        }
    }

    private var http: PassHTTP { PassHTTP(HTTPClient(transport: settings.transport, policy: settings.policy), now) }

    private func applicant(_ options: ClientOptions) throws(PassBackendError) -> Applicant {
        guard let statement = state.withLock({ $0.softwareStatement }) else {
            throw PassBackendError(.notRegistered, "The app did not register. Call setRequestor first.")
        }
        return Applicant(
            softwareStatement: statement,
            options: options,
            redirectURI: settings.registrationRedirectURI
        )
    }

    private func access(to server: PassServer) -> ClientAccess {
        state.withLock { state in
            if let access = state.access[server] { return access }
            let access = ClientAccess(
                registrar: ClientRegistrar(server: server, http: http),
                clients: clients,
                elapsed: elapsed
            )
            state.access[server] = access
            return access
        }
    }

    /// The headers that say who uses the app.
    private func personalHeaders(of call: RESTCall, _ caller: Caller) async throws(PassBackendError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        guard call.namesPerson else { return headers }
        if let serviceToken = settings.serviceToken {
            let given: String
            do {
                given = try await serviceToken()
            } catch let error as PassBackendError {
                throw error
            } catch {
                throw PassBackendError(.network, "The app's own service gave no service token.")
            }
            // A file ends in a line end.
            let end = given.reversed().drop(while: \.isWhitespace).count
            let token = String(given.prefix(end).drop(while: \.isWhitespace))
            guard RESTHeaders.canCarry(token) else {
                throw PassBackendError(
                    .badRequest,
                    "The service token is empty, or has characters that no header carries. Give it as one line of ASCII."
                )
            }
            headers["AD-Service-Token"] = token
        }
        let identity = caller.genericData.isEmpty ? settings.temporaryPassIdentity : caller.genericData
        if let identity { headers["AP-TempPass-Identity"] = RESTHeaders.base64(identity) }
        return headers
    }
}

extension PassRESTBackend: CustomStringConvertible, CustomReflectable {
    /// The server.
    public var description: String { "PassRESTBackend(\(endpoints.server.api))" }
    /// The server alone.
    public var customMirror: Mirror { Mirror(self, children: ["server": endpoints.server.api]) }
}
