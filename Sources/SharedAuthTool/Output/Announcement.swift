internal import CommandLineSupport
internal import SharedAuth

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
