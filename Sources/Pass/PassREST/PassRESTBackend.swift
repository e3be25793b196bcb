public import FoundationEssentials
public import PassAuth
public import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// The back end of an `AccessEnabler` that uses REST v2 with dynamic client registration.
///
/// The app's client is stored in its own slot (`StoredClients`). Access tokens are kept in memory and renewed before
/// they expire, once for all calls that need one. A client that the server refuses is registered again once; a second
/// refusal is `notRegistered`, until `setRequestor` is called again.
///
/// A profile of REST v2 belongs to one client. Apps of a group therefore need ``Settings/serviceToken`` to share a
/// sign-in. Without a service token, the sign-in of another app does not count here, and the user signs in once in each
/// app.
///
/// Methods may be called from any task, also concurrently. They throw `PassBackendError`. The code `network` also means
/// that the network returned its own page, such as a login page, instead of Pass's response.
public final class PassRESTBackend: PassBackend {
    /// The settings of a back end.
    public struct Settings: Sendable {
        /// The transport that sends the requests.
        public var transport: any HTTPTransport = .libsoup
        /// The request limits. By default, a request is sent again only with a new access token or client.
        public var policy: HTTPPolicy
        /// Returns the service token: a signed statement (JWS) of the app's own service that names the user. Sent as
        /// the header `AD-Service-Token`. If the service tokens of a group's apps name the same user, one sign-in signs
        /// in all of these apps.
        public var serviceToken: (@Sendable () async throws -> String)?
        /// The user of a promotional temporary pass, for example `email` with a digest of the address. Sent as the
        /// header `AP-TempPass-Identity`. Data that the AccessEnabler passes with a call takes precedence.
        public var temporaryPassIdentity: [String: String]?
        /// The redirect URI to register with, if the software statement requires one.
        public var registrationRedirectURI: String?
        /// The clock by which the dates of the servers are converted. Pass the one of `PassTokenStore.Options.now`.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default settings.
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

    /// Creates a back end. Sends and reads nothing.
    ///
    /// - Parameters:
    ///   - endpoints: The addresses of the servers.
    ///   - clients: The store of the app's client; see `PassSetup.clients`.
    ///   - settings: The settings of the back end.
    public convenience init(_ endpoints: PassEndpoints, clients: StoredClients, settings: Settings = Settings()) {
        self.init(
            endpoints,
            clients: clients,
            settings: settings,
            elapsed: ContinuousClock.stopwatch()
        )
    }

    /// - Parameters:
    ///   - elapsed: The time since a fixed moment, by a monotonic clock.
    init(
        _ endpoints: PassEndpoints,
        clients: StoredClients,
        settings: Settings,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.endpoints = endpoints
        self.clients = AsyncStoredClients(clients)
        self.settings = settings
        self.elapsed = elapsed
        now = settings.now
    }

    /// The clients whose profiles this app can use: the app's own client at each server. With
    /// ``Settings/serviceToken``, and before the app has registered, any client.
    public var profileClients: ProfileClients {
        if settings.serviceToken != nil { return .any }
        let clients = state.withLock { Array($0.access.values) }.compactMap { $0.client?.digest }
        return clients.isEmpty ? .any : .only(Set(clients))
    }

    /// Registers the app with the default server if necessary, and gets an access token.
    public func register(_ softwareStatement: String, _ options: ClientOptions) async throws(PassBackendError) {
        let access = access(to: endpoints.server)
        let all = state.withLock { state in
            state.softwareStatement = softwareStatement
            return Array(state.access.values)
        }
        for each in all { await each.begin() }
        _ = try await access.current(for: try applicant(options))
    }

    /// Sends a call with an access token. Sends it again with a new token or as a new client if the server refuses it.
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
            throw PassBackendError(.notRegistered, "The app is not registered. Call setRequestor first.")
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

    /// Returns the headers that identify the user.
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
                throw PassBackendError(.network, "The app's own service returned no service token.")
            }
            // A token read from a file may end with a newline.
            let end = given.reversed().drop(while: \.isWhitespace).count
            let token = String(given.prefix(end).drop(while: \.isWhitespace))
            guard RESTHeaders.canCarry(token) else {
                throw PassBackendError(
                    .badRequest,
                    "The service token is empty or has characters that a header cannot carry. Use one line of ASCII."
                )
            }
            headers["AD-Service-Token"] = token
        }
        let identity = caller.genericData.isEmpty ? settings.temporaryPassIdentity : caller.genericData
        if let identity { headers["AP-TempPass-Identity"] = RESTHeaders.base64(identity) }
        return headers
    }
}

extension PassRESTBackend: Redacted {
    /// The address of the default server.
    public var description: String { "PassRESTBackend(\(endpoints.server.api))" }
    /// A mirror with the address of the default server only.
    public var customMirror: Mirror { Mirror(self, children: ["server": endpoints.server.api]) }
}
