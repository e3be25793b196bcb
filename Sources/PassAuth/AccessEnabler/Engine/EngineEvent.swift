internal import FoundationEssentials

/// Counts an app's calls.
typealias CallID = Int

/// Counts what the engine asked for: an answer to what it no longer waits for is dropped.
typealias Ticket = Int

/// A call of an app's.
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
    /// Nobody waits for an earlier call any more.
    case giveUp(CallID)
    /// A sign-out of the user whom an `Auth` shows: the store is wiped already.
    case userSignedOut(PassSession)
}

/// The options of a sign-in.
struct SignInOptions: Sendable, Equatable {
    var isForced = false
    /// Whether it is a sign-in with another TV provider: the earlier session stays unless this one goes well, and the
    /// server's profile will do.
    var isSwitch = false
    /// The TV provider, if the caller names it.
    var mvpd: String?
    var genericData: [String: String] = [:]
    /// Whether the app gave a filter for the picker of a platform's sign-in.
    var hasFilter = false
}

/// A question whether a resource may be watched.
struct AuthorizationCall: Sendable, Equatable {
    let id: CallID
    let resource: String
    var genericData: [String: String] = [:]
    /// Whether the person is to sign in, if nobody is.
    let signsIn: Bool
}

/// An event that an engine handles.
enum EngineEvent: Sendable {
    /// The app calls.
    case called(CallID, EntitlementCall)
    /// The back end answers.
    case answered(Ticket, Result<BackEndAnswer, PassBackendError>)
    /// The store has done what was asked.
    case stored(Ticket, Result<StoreAnswer, PassStoreError>)
    /// A time has passed.
    case elapsed(Ticket)
    /// The store may say something else than before.
    case storeChanged

    /// Whether it is an answer of the back end's.
    var isAnswer: Bool { if case .answered = self { true } else { false } }
}

/// A question to a back end.
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

/// A back end's answer.
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

/// A step that the store is to take.
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

/// The facts from the store and the clock at an event.
struct Facts: Sendable {
    var now: Date
    var session: PassSession?
    var chosen = MVPDSelection(mvpd: nil, canAuthenticate: false)
    /// For a question about one resource, what is kept of it.
    var authorization: AuthorizationToken?
    /// For preauthorization and metadata, what is kept.
    var cache: SessionCache?
    /// Why the store says nothing.
    var failure: PassStoreError?
}
