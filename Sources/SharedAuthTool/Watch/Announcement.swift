internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth
internal import Synchronization

/// One line of `watch`.
struct Announcement {
    /// What changed.
    enum Event: String {
        case authState = "auth-state"
        case idToken = "id-token"
    }

    private let event: Event
    private let user: User?
    private let state: AuthState

    init(_ event: Event, _ user: User?, state: AuthState? = nil) {
        self.event = event
        self.user = user
        self.state = state ?? user.map(AuthState.signedIn) ?? .signedOut
    }

    /// The line.
    func line(asJSON: Bool) throws -> String {
        if asJSON {
            let object = ["event": .string(event.rawValue), "state": .string(state.name), "user": user.json]
            return try JSONValue.object(object).text
        }
        let padding = String(repeating: " ", count: Event.authState.rawValue.count - event.rawValue.count + 2)
        return event.rawValue + padding + (user.map { "\(state.name) \($0.line)" } ?? state.name)
    }

    /// Prints the line at once.
    func print(asJSON: Bool) throws {
        try StandardOutput.write(line: try line(asJSON: asJSON))
    }
}

/// Prints what listeners are called with; they are called on one queue.
final class AnnouncementPrinter: Sendable {
    private let asJSON: Bool
    private let hasPresentToken = Mutex(false)

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    func authState(_ user: User?) {
        print(Announcement(.authState, user))
    }

    /// The first token is the present state, which the first line has said already.
    func idToken(_ user: User?) {
        let isNews = hasPresentToken.withLock { hasPresentToken in
            defer { hasPresentToken = true }
            return hasPresentToken
        }
        if isNews { print(Announcement(.idToken, user)) }
    }

    private func print(_ announcement: Announcement) {
        do {
            try announcement.print(asJSON: asJSON)
        } catch let error as OutputError {
            ProcessEnd.now(error.isClosedPipe ? .success : .outputFailed, saying: error.message)
        } catch {
            StandardError.write(line: "An announcement cannot be printed: \(error)")
        }
    }
}
