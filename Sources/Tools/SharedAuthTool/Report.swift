internal import CommandLineSupport
internal import SharedAuth

/// The output of most verbs: the slot, and the user signed in there.
struct Report {
    private var table = Table()

    /// Creates a report of a user in a slot. A nil group is the app's own slot.
    ///
    /// - Parameter absence: The text if there is no user.
    init(of auth: Auth, group: String?, user: User?, absence: String = "nobody", isGroupKnown: Bool = true) {
        let appID = auth.app?.identity.appID
        table.add("appID", JSONValue(appID), row: "app id", text: appID ?? "unknown")
        table.add(
            "accessGroup",
            JSONValue(group),
            row: "access group",
            text: isGroupKnown ? group ?? "none (the app's own slot)" : "not known"
        )
        table.add("user", user.json, row: "user", text: user?.line ?? absence)
    }

    /// Creates a report of the current user in the slot in use; waits until the first load has ended.
    init(of auth: Auth) {
        let state = if case .unknown = auth.state { auth.loadedState } else { auth.state }
        self.init(of: auth, in: state)
    }

    /// Creates a report of the current user in the slot in use from a state that the caller has read.
    init(of auth: Auth, in state: AuthState) {
        let isSilent = state.silence != nil
        self.init(
            of: auth,
            group: isSilent ? nil : auth.userAccessGroup,
            user: isSilent ? nil : auth.currentUser,
            absence: state.failure(in: nil) == nil ? "nobody" : "not known",
            isGroupKnown: !isSilent
        )
    }

    /// Adds a row that is not about a user.
    mutating func add(_ name: String, _ value: JSONValue, row: String, text: String) {
        table.add(name, value, row: row, text: text)
    }

    /// Prints the report.
    func print(asJSON: Bool) throws { try table.print(asJSON: asJSON) }
}

extension User {
    /// The user as JSON. Contains no token.
    var json: JSONValue {
        .object([
            "uid": .string(uid),
            "email": JSONValue(email),
            "isAnonymous": .bool(isAnonymous),
            "providerID": .string(providerID),
            "tenantID": JSONValue(tenantID),
        ])
    }

    /// The user on one line, by uid. Contains neither e-mail address nor name, which do not belong in every log and on
    /// every screen.
    var line: String { line() }

    /// Returns the user on one line, with the e-mail address if requested.
    func line(showingEmail: Bool = false) -> String {
        let name = isAnonymous ? "anonymous" : showingEmail ? email : nil
        let details = [name, tenantID.map { "tenant \($0)" }].compactMap { $0 }
        return (details.isEmpty ? uid : "\(uid) (\(details.joined(separator: ", ")))")
    }
}

extension User? {
    /// The user, or null.
    var json: JSONValue { map(\.json) ?? .null }
}

extension AuthState {
    /// The name of the state, as `--json` prints it.
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .signedIn: "signed-in"
        case .signedOut: "signed-out"
        case .locked: "locked"
        case .unavailable: "unavailable"
        case .damaged: "damaged"
        }
    }

    /// Returns the reason it is unknown whether a user is signed in; nil if it is known.
    func failure(in group: String?) -> AuthError? {
        switch self {
        case .signedIn, .signedOut:
            return nil
        case .unavailable(let error), .damaged(let error):
            return error
        case .locked:
            let slot = group.map { "Access group \($0)" } ?? "The app's own slot"
            return AuthError(
                .keyringLocked,
                "\(slot): The keyring is locked.",
                remedy: "Unlock it with sharedauth unlock."
            )
        case .unknown:
            return .muteKeyring
        }
    }
}

extension AuthError {
    /// The error of a keyring that did not reply within the time limit of a call.
    static let muteKeyring = AuthError(
        .timedOut,
        "The keyring does not answer.",
        remedy: "Try again; if the problem persists, restart the keyring daemon."
    )
}

extension AuthState {
    /// The error if the keyring did not reply within the time limit of a call; nil otherwise. Any other request would
    /// wait as long again.
    var silence: AuthError? { failure(in: nil).flatMap { $0.code == .timedOut ? $0 : nil } }
}

extension Auth {
    /// Waits until the first load has ended or its time limit has passed, and returns the state.
    var loadedState: AuthState {
        _ = currentUser
        return state
    }

    /// The access group in use, or nil for the app's own slot. Waits until the slot has been read.
    ///
    /// - Throws: The reason the slot cannot be read.
    var knownGroup: String? {
        get throws(AuthError) {
            let state = loadedState
            if let silence = state.silence { throw silence }
            if let failure = state.failure(in: userAccessGroup) { throw failure }
            return userAccessGroup
        }
    }
}
