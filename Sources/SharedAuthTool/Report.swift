internal import CommandLineSupport
internal import SharedAuth

/// The answer of most verbs: whose slot it is about, and who is signed in there.
struct Report {
    private var table = Table()

    /// A user in a slot; a nil group is the app's own. Without a user, `absence` says what that means.
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

    /// The current user in the slot in use; waits for the first load if that has not ended.
    init(of auth: Auth) {
        let state = if case .unknown = auth.state { auth.loadedState } else { auth.state }
        self.init(of: auth, in: state)
    }

    /// The current user in the slot in use, by the state that the caller has read.
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
            return .muteKeyring
        }
    }
}

extension AuthError {
    /// The error of a keyring that has not answered for the time of a call.
    static let muteKeyring = AuthError(
        .timedOut,
        "The keyring does not answer.",
        remedy: "Try again; if it stays so, restart the keyring daemon."
    )
}

extension AuthState {
    /// What is wrong where the keyring has not answered for the time of a call: any other question would wait as long again.
    var silence: AuthError? { failure(in: nil).flatMap { $0.code == .timedOut ? $0 : nil } }
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
            if let silence = state.silence { throw silence }
            if let failure = state.failure(in: userAccessGroup) { throw failure }
            return userAccessGroup
        }
    }
}
