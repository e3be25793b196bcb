internal import CommandLineSupport
internal import SharedAuth

/// The answer of most verbs: whose slot it is about, and who is signed in there.
struct Report {
    private var table = Table()

    /// A user in a slot; a nil group is the app's own. Without a user, `absence` says what that means.
    init(of auth: Auth, group: String?, user: User?, absence: String = "nobody") {
        let appID = auth.app?.identity.appID
        table.add("appID", JSONValue(appID), row: "app id", text: appID ?? "unknown")
        table.add("accessGroup", JSONValue(group), row: "access group", text: group ?? "none (the app's own slot)")
        table.add("user", user.json, row: "user", text: user?.line ?? absence)
    }

    /// The current user in the slot in use.
    init(of auth: Auth) {
        let isKnown = auth.state.failure(in: nil) == nil
        self.init(
            of: auth,
            group: auth.userAccessGroup,
            user: auth.currentUser,
            absence: isKnown ? "nobody" : "not known"
        )
    }

    /// Adds what is not about a user.
    mutating func add(_ name: String, _ value: JSONValue, row: String, text: String) {
        table.add(name, value, row: row, text: text)
    }

    /// Prints it.
    func print(asJSON: Bool) throws { try table.print(asJSON: asJSON) }
}

extension User {
    /// What the tool prints of a user: never a token.
    var json: JSONValue {
        .object([
            "uid": .string(uid),
            "email": JSONValue(email),
            "isAnonymous": .bool(isAnonymous),
            "providerID": .string(providerID),
            "tenantID": JSONValue(tenantID),
        ])
    }

    /// The user on one line: the uid, and no address nor name, which are not for every log and every screen.
    var line: String { line() }

    /// The user on one line, with the e-mail address where the person asks for it.
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

    /// Why it is neither known that somebody is signed in nor that nobody is.
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
            return AuthError(.timedOut, "The keyring did not answer in time. Try again.")
        }
    }
}

extension Auth {
    /// Waits until the first load has ended, well or not, and says what is known then.
    var loadedState: AuthState {
        _ = currentUser
        return state
    }

    /// The access group in use, or nil for the app's own slot, once it is known who is signed in there, or that nobody is.
    ///
    /// - Throws: why neither is known.
    var knownGroup: String? {
        get throws(AuthError) {
            let state = loadedState
            if let failure = state.failure(in: userAccessGroup) { throw failure }
            return userAccessGroup
        }
    }
}
