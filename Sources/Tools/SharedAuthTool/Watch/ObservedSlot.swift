internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SecretService
internal import SharedAuth

/// The slot in use, observed until this object is released. Listeners are called on one queue.
final class ObservedSlot: Sendable {
    let auth: Auth
    private let observation: ChangeObservation
    private let session: SessionEnd
    private let isKeyring: Bool

    /// Starts to observe. The process exits with 69 when the session ends. With `needsReader`, it also exits with 0
    /// when the reader closes standard output.
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

    /// Waits for the first load. If it failed, publishes the state. If the keyring will report the end of the problem,
    /// also writes a line on standard error; listeners are called when the slot can be read.
    ///
    /// - Throws: A failure whose end no event reports.
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

/// A reason a slot cannot be read.
enum Obstacle {
    /// A problem whose end the keyring reports, described in a sentence.
    case temporary(String)
    /// A problem that the user has to fix, and whose end may not be reported.
    case lasting(AuthError)

    /// Writes the reason for the wait on standard error.
    static func say(_ reason: String) {
        StandardError.write(line: "\(reason) Watching resumes when the keyring can be read.")
    }
}

extension AuthState {
    /// Returns the reason the slot of a group, or the app's own slot for nil, cannot be read; nil if it can be.
    func obstacle(in group: String?, isKeyring: Bool) -> Obstacle? {
        guard let failure = failure(in: group) else { return nil }
        // Files have no locked state, and no daemon that may start and stop.
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
    /// Indicates whether the problem may end when a keyring appears or responds again. The appearance of a message bus
    /// is not reported.
    fileprivate var mayBeOverUnasked: Bool {
        let cause = (underlying as? RecordStoreError)?.underlying as? SecretServiceError
        return [.keyringUnavailable, .keyringChanged, .timedOut, .outcomeUnknown].contains(code)
            && cause?.code != .noSessionBus
    }
}
