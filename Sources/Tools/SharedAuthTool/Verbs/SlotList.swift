internal import CommandLineSupport
internal import SharedAuth

/// The slots that an app may use, and their states.
struct SlotList {
    fileprivate struct Row {
        /// The access group; nil for the app's own slot.
        let group: String?
        let isInUse: Bool
        let state: AuthState
    }

    private let appID: String?
    private let rows: [Row]
    /// The reason the slot in use is unknown; nil if it is known.
    private let choiceFailure: AuthError?

    /// Reads the app's own slot, those of the declared groups, and the one in use.
    init(of auth: Auth) {
        let state = auth.loadedState
        let present = auth.userAccessGroup
        let failure = state.failure(in: present)
        choiceFailure = failure?.code == .stateDirectoryUnusable ? failure : nil
        let isChoiceKnown = choiceFailure == nil
        appID = auth.app?.identity.appID
        var groups: [String?] = [nil] + (auth.app?.identity.accessGroups.map(\.name) ?? [])
        if !groups.contains(present) { groups.append(present) }
        rows = groups.map { group in
            let isInUse = isChoiceKnown && group == present
            return Row(group: group, isInUse: isInUse, state: isInUse ? state : auth.state(inAccessGroup: group))
        }
    }

    /// Prints the list.
    ///
    /// - Throws: The reason the state of the slot in use is unknown, or else that of another slot.
    func print(asJSON: Bool) throws {
        if asJSON {
            let object = ["appID": JSONValue(appID), "slots": .array(rows.map(\.json))]
            try StandardOutput.write(line: try JSONValue.object(object).text)
        } else {
            let width = rows.map(\.name.count).max() ?? 0
            for row in rows { try StandardOutput.write(line: row.line(padding: width)) }
        }
        if let choiceFailure { throw choiceFailure }
        for row in rows.filter(\.isInUse) + rows {
            if let failure = row.state.failure(in: row.group) { throw failure }
        }
    }
}

extension SlotList.Row {
    fileprivate var name: String { group ?? "own slot" }

    private var user: User? {
        if case .signedIn(let user) = state { user } else { nil }
    }

    fileprivate var json: JSONValue {
        .object([
            "accessGroup": JSONValue(group), "isInUse": .bool(isInUse), "state": .string(state.name),
            "user": user.json,
        ])
    }

    fileprivate func line(padding width: Int) -> String {
        let padding = String(repeating: " ", count: width - name.count)
        return "\(isInUse ? "*" : " ") \(name)\(padding)  \(state.name)" + (user.map { "  \($0.uid)" } ?? "")
    }
}

extension Auth {
    /// Returns the state of an access group, or of the app's own slot for nil, without switching to it.
    fileprivate func state(inAccessGroup group: String?) -> AuthState {
        do throws(AuthError) {
            return try getStoredUser(forAccessGroup: group).map(AuthState.signedIn) ?? .signedOut
        } catch {
            return AuthState(error)
        }
    }
}
