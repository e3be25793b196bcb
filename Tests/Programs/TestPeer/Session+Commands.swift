internal import SharedAuth
internal import Synchronization
internal import TestSupport

extension Session {
    /// Carries out one command.
    func obey(_ verb: String, _ words: [String]) async throws(PeerFailure) -> PeerLine {
        switch (verb, words.count) {
        case ("arm", 3): return try arm(words)
        case ("hold", 0): identity.holdOnce()
        case ("refuse", 1): identity.refuse(AuthErrorCode(rawValue: Int(words[0]) ?? 0))
        case ("pad", 1): identity.padTokens(by: Int(words[0]) ?? 0)
        case ("listen", 0): listen()
        case ("current", 0): break
        case ("keep", 0): kept.withLock { $0 = auth.currentUser }
        case ("cas", 2): return try swap(words[0], times: words[1])
        case ("add", 2): return try add(words[0], times: words[1])
        case ("history", let count) where count >= 5: return try await makeHistory(words)
        default: return try await useAuth(verb, words)
        }
        return present(verb)
    }

    private func useAuth(_ verb: String, _ words: [String]) async throws(PeerFailure) -> PeerLine {
        do throws(AuthError) {
            switch (verb, words.count) {
            case ("sign-in", 2): try await auth.signIn(withEmail: words[0], password: words[1])
            case ("sign-in", 3):
                identity.issueTokens(lasting: Double(words[2]) ?? 0)
                try await auth.signIn(withEmail: words[0], password: words[1])
            case ("sign-up", 2): try await auth.createUser(withEmail: words[0], password: words[1])
            case ("change-password", 1): try await currentUser().updatePassword(to: words[0])
            case ("sign-in-anonymously", 2):
                identity.expectAnonymous(words[0], words[1])
                try await auth.signInAnonymously()
            case ("sign-out", 0): try auth.signOut()
            case ("use-group", 1): try auth.useUserAccessGroup(group(words[0]))
            case ("stored", 1):
                return describe(try auth.getStoredUser(forAccessGroup: group(words[0])), answering: verb)
            case ("update-current-from", 1):
                guard let user = try auth.getStoredUser(forAccessGroup: group(words[0])) else {
                    throw AuthError(.nullUser, "No user is stored there.")
                }
                try await auth.updateCurrentUser(user)
            case ("put-back", 0):
                guard let user = kept.withLock({ $0 }) else { throw AuthError(.nullUser, "No user was kept.") }
                try await auth.updateCurrentUser(user)
            case ("migrate", 2):
                guard let policy = MigrationPolicy(rawValue: words[1]) else { fallthrough }
                try await auth.migrateCurrentUser(toAccessGroup: group(words[0]), policy: policy)
            case ("move", 3): try move(words)
            case ("switch-user", 1): try await auth.switchCurrentUser(toUID: words[0])
            case ("token", 0):
                var line = PeerLine(answer: verb)
                line.token = try await currentUser().getIDToken()
                return line
            case ("refresh", 0): _ = try await currentUser().getIDToken(forcingRefresh: true)
            case ("reload", 0): try await currentUser().reload()
            case ("rename", 1):
                let change = try currentUser().createProfileChangeRequest()
                change.displayName = words[0]
                try await change.commitChanges()
            default: throw AuthError(.internalError, "There is no command \(verb) with \(words.count) words.")
            }
        } catch {
            throw .auth(error)
        }
        return present(verb)
    }

    /// Migrates the users of all apps from one slot to another, as a tool: `move SOURCE TARGET POLICY`.
    private func move(_ words: [String]) throws(AuthError) {
        let migration = try UserMigration(
            from: group(words[0]),
            to: group(words[1]),
            project: arguments.project,
            store: .custom(store),
            stateDirectories: StateDirectories(adding: [arguments.stateDirectory]),
            ifOccupied: MigrationPolicy(rawValue: words[2]) ?? .fail,
            timeout: arguments.timeout
        )
        for step in try migration.plan(for: .all) {
            for case let error? in migration.perform(step).map(\.error) { throw error }
        }
    }

    /// Returns this process's current user.
    ///
    /// - Throws: `nullUser` if there is none.
    private func currentUser() throws(AuthError) -> User {
        if let user = auth.currentUser { return user }
        throw AuthError(.nullUser, "There is no current user.")
    }

    private func group(_ word: String) -> String? { word == "-" ? nil : word }

    private func arm(_ words: [String]) throws(PeerFailure) -> PeerLine {
        guard let act = Trap.Act(rawValue: words[0]) else { throw .command("Arm kill or stop.") }
        tap.set(Trap(act: act, call: Trap.Call(words[1]), isAfter: words[2] == "after"))
        return PeerLine(answer: "arm")
    }

    private func listen() {
        for event in ["state", "token"] {
            let tell: @Sendable (Auth, User?) -> Void = { _, user in
                var line = PeerLine(event: event)
                (line.uid, line.token) = (user?.uid, user?.refreshToken)
                line.needsSignIn = user.map { $0.sessionFailure != nil }
                LineOutput.write(line)
            }
            _ = event == "state" ? auth.addStateDidChangeListener(tell) : auth.addIDTokenDidChangeListener(tell)
        }
    }
}
