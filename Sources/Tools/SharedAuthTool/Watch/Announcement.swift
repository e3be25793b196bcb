internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// An event of a slot that `watch` reports, as a line or as the variables of a command.
struct Announcement: Sendable {
    /// The kind of change.
    enum Event: String {
        case authState = "auth-state"
        case idToken = "id-token"
    }

    /// The access group; nil for the app's own slot.
    let group: String?
    private let event: Event
    private let user: User?
    private let state: AuthState

    /// Creates an announcement. Without a state, the user determines whether the state is signed in or signed out.
    init(_ event: Event, _ user: User?, in group: String?, state: AuthState? = nil) {
        self.event = event
        self.user = user
        self.group = group
        self.state = state ?? user.map(AuthState.signedIn) ?? .signedOut
    }

    /// Returns the line of text output. With `columns`, it names the slot.
    ///
    /// - Parameter text: Returns the text for a user.
    func line(naming columns: SlotColumns?, _ text: (User) -> String = \.line) -> String {
        let words = [event.rawValue.padded(to: Event.authState.rawValue.count), columns?.text(group)].compactMap { $0 }
        return (words + [user.map { "\(state.name) \(text($0))" } ?? state.name]).joined(separator: "  ")
    }

    /// The line of JSON output.
    var json: JSONValue {
        .object([
            "event": .string(event.rawValue), "state": .string(state.name), "user": user.json,
            "accessGroup": JSONValue(group),
        ])
    }

    /// The variables for a command. They contain no token. Unknown values are empty.
    var variables: [(name: String, value: String)] {
        [
            ("SHAREDAUTH_WATCH_EVENT", event.rawValue), ("SHAREDAUTH_WATCH_STATE", state.name),
            ("SHAREDAUTH_WATCH_UID", user?.uid.escapedForCommands ?? ""), ("SHAREDAUTH_WATCH_GROUP", group ?? ""),
        ]
    }
}

extension String {
    /// The text on one line. Characters that control or reorder a line are escaped as `\u{a}`, since an identity
    /// provider chose the text.
    fileprivate var escapedForCommands: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The column that names slots, as wide as the longest name.
struct SlotColumns: Sendable {
    /// The name of the app's own slot. No group has a name of one word.
    private static let own = "own"
    private let width: Int

    init(of groups: [String?]) {
        width = groups.map { ($0 ?? Self.own).count }.max() ?? 0
    }

    func text(_ group: String?) -> String { (group ?? Self.own).padded(to: width) }
}

/// Prints each announcement immediately, on one line.
struct AnnouncementPrinter: Sendable {
    let asJSON: Bool
    /// The column that names the slot; nil if there is only one slot.
    let columns: SlotColumns?

    func print(_ announcement: Announcement) {
        do {
            let line = asJSON ? try announcement.json.text : announcement.line(naming: columns)
            try StandardOutput.write(line: line)
        } catch let error as OutputError {
            ProcessEnd.now(error.isClosedPipe ? .success : .outputFailed, saying: error.message)
        } catch {
            StandardError.write(line: "An announcement cannot be printed: \(error)")
        }
    }
}
