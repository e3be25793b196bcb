internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SecretService
internal import SharedAuth

/// The slot in use, observed for as long as this is kept. Listeners are called on one queue.
final class ObservedSlot: Sendable {
    let auth: Auth
    private let observation: ChangeObservation
    private let session: SessionEnd
    private let isKeyring: Bool

    /// Begins to observe. The process ends with 69 when the session does; with `needsReader`, also with 0 when the reader of
    /// standard output has gone.
    init(_ app: AppOptions, needsReader: Bool) throws {
        let store = try app.recordStore()
        isKeyring = store.kind == .secretService
        var configuration = try app.configuration(on: store)
        configuration.observesOtherProcesses = true
        // One queue for listeners of both kinds keeps their calls in order.
        configuration.listenerExecutor = .dispatchQueue(DispatchQueue(label: "sharedauth.watch"))
        session = SessionEnd(of: store, needsReader: needsReader)
        auth = Auth.auth(app: try AuthApp.configure(configuration))
        observation = ChangeObservation(store, timeout: configuration.timeout)
    }

    /// Waits for the first load. If it has failed, that is published, and if the keyring will say when that is over, this
    /// says so on standard error; listeners are called when the slot can be read.
    ///
    /// - Throws: a failure that no event will end.
    func awaitFirstLoad(_ publish: (_ failed: AuthState) -> Void = { _ in }) throws(AuthError) {
        let state = auth.loadedState
        if let obstacle = state.obstacle(in: auth.userAccessGroup, isKeyring: isKeyring) {
            publish(state)
            switch obstacle {
            case .temporary(let reason): Obstacle.say(reason)
            case .lasting(let error): throw error
            }
        }
        observation.begin(until: session)
    }
}

/// What keeps a slot from being read.
enum Obstacle {
    /// The keyring will be heard when it is over; a sentence says what it is.
    case temporary(String)
    /// A person has to fix it, and no event may report that.
    case lasting(AuthError)

    /// Says on standard error what is waited for.
    static func say(_ reason: String) {
        StandardError.write(line: "\(reason) This goes on when the keyring can be read.")
    }
}

extension AuthState {
    /// What keeps the slot of a group, or with nil the app's own, from being read; nil if it could be.
    func obstacle(in group: String?, isKeyring: Bool) -> Obstacle? {
        guard let failure = failure(in: group) else { return nil }
        // Files have no lock, and no program that may come and go.
        guard isKeyring else { return .lasting(failure) }
        switch self {
        case .locked:
            return .temporary("\(group.map { "Access group \($0)" } ?? "The app's own slot"): The keyring is locked.")
        case .unknown:
            return .temporary("The keyring does not answer.")
        case .unavailable(let error) where error.mayBeOverUnasked:
            return .temporary(error.message)
        case .unavailable, .damaged, .signedIn, .signedOut:
            return .lasting(failure)
        }
    }
}

extension AuthError {
    /// Whether it ends when a keyring appears or answers again. The appearance of a message bus is not reported.
    fileprivate var mayBeOverUnasked: Bool {
        let cause = (underlying as? RecordStoreError)?.underlying as? SecretServiceError
        return [.keyringUnavailable, .keyringChanged, .timedOut, .outcomeUnknown].contains(code)
            && cause?.code != .noSessionBus
    }
}
