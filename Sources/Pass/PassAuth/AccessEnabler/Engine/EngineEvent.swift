internal import FoundationEssentials

/// The number of an app's call.
typealias CallID = Int

/// The number of a request of the engine. A result whose ticket is no longer waited for is dropped.
typealias Ticket = Int

/// A call by the app.
enum EntitlementCall: Sendable, Equatable {
    case setRequestor(String, serviceProviders: [String])
    case setOptions(ClientOptions)
    case checkAuthentication
    case getAuthentication(SignInOptions)
    case setSelectedProvider(String?)
    case handleExternalURL(String)
    case authorization(AuthorizationCall)
    case checkPreauthorizedResources([String], usesCache: Bool)
    case preauthorize(PreauthorizeRequest)
    case getSelectedProvider
    case getMetadata(MetadataKey)
    case logOut
    /// The caller of an earlier call no longer waits for it.
    case giveUp(CallID)
    /// The user shown by an `Auth` was signed out; the store is already wiped.
    case userSignedOut(PassSession)
}

/// The options of a sign-in.
struct SignInOptions: Sendable, Equatable {
    var isForced = false
    /// Indicates whether it is a sign-in with another TV provider: the earlier session stays unless this one succeeds,
    /// and the server's profile may be used.
    var isSwitch = false
    /// The TV provider, if the caller names one.
    var mvpd: String?
    var genericData: [String: String] = [:]
    /// Indicates whether the app set a filter for the picker of a platform sign-in.
    var hasFilter = false
}

/// A request to authorize a resource.
struct AuthorizationCall: Sendable, Equatable {
    let id: CallID
    let resource: String
    var genericData: [String: String] = [:]
    /// Indicates whether to sign the user in, if no user is signed in.
    let signsIn: Bool
}

/// An event that an engine handles.
enum EngineEvent: Sendable {
    /// The app made a call.
    case called(CallID, EntitlementCall)
    /// The back end responded.
    case answered(Ticket, Result<BackEndAnswer, PassBackendError>)
    /// The store performed a step.
    case stored(Ticket, Result<StoreAnswer, PassStoreError>)
    /// A wait has ended.
    case elapsed(Ticket)
    /// The store may have changed.
    case storeChanged

    /// True for a response of the back end.
    var isAnswer: Bool { if case .answered = self { true } else { false } }
}

/// A request to a back end.
enum BackEndQuestion: Sendable, Equatable {
    case registration(ClientOptions)
    case configuration
    case start(RedirectURL)
    case profile(AuthenticationAttempt)
    case passiveProfile
    case authorization(resource: String)
    case mediaToken(AuthorizationToken)
    case preauthorization(PreauthorizeRequest)
    case userMetadata
    case logOutURL(RedirectURL)
}

/// A back end's response.
enum BackEndAnswer: Sendable {
    case done
    case configuration(PassConfiguration)
    case start(AuthenticationStart)
    case profile(AuthenticationProfile?)
    case authorization(AuthorizationAnswer)
    case mediaToken(String)
    case decisions([PreauthorizeResponse.Decision])
    case metadata(Data?)
    case logOutURL(String?)
}

/// A step for the store to perform.
enum StoreStep: Sendable, Equatable {
    case checkIntegrity(requestor: String)
    case prepare(RequestorConfiguration)
    case signIn(AuthenticationToken, RequestorConfiguration, metadata: Data?)
    case choose(String?, requestor: String)
    case keep(AuthorizationToken, PassSession)
    case keepPreauthorization(Preauthorization, PassSession)
    case keepMetadata(Data, PassSession)
    case discardDevice(PassSession)
    case discard(PassSession)
    case wipe(RequestorConfiguration?)
}

/// The result of a step of the store.
enum StoreAnswer: Sendable {
    case done
    case prepared(ConfigurationReport)
}

/// The facts from the store and the clock at the time of an event.
struct Facts: Sendable {
    var now: Date
    var session: PassSession?
    var chosen = MVPDSelection(mvpd: nil, canAuthenticate: false)
    /// The cached authorization; only for calls about one resource.
    var authorization: AuthorizationToken?
    /// The cached data; only for preauthorization and metadata.
    var cache: SessionCache?
    /// The error, if the store could not be read.
    var failure: PassStoreError?
}
