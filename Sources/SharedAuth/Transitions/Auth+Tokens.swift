internal import Dispatch
internal import FoundationEssentials
internal import SecretService
internal import Synchronization

extension Auth {
    /// A token that expires within this time is refreshed before it is handed out, as in Firebase.
    private static let margin: TimeInterval = 5 * 60

    /// How often a refresh starts over because a peer brought newer tokens meanwhile.
    private static let attempts = 3

    /// The user's tokens, refreshed if need be, by one process for all.
    func freshTokens(of user: User, forcing: Bool) async throws(AuthError) -> UserTokens {
        automaticRefresh?.want()
        let tokens = user.snapshot.tokens
        if !forcing, isValid(tokens) { return tokens }
        let slot = user.slot
        let key = RefreshCoalescer.Key(
            slot: slot,
            uid: user.uid,
            object: slot == nil ? ObjectIdentifier(user) : nil
        )
        return try await refreshes.tokens(for: key) { [self] () async throws(AuthError) in
            try await refresh(user, rejecting: tokens, in: slot)
        }
    }

    /// Fetches the profile and saves it.
    func reload(_ user: User) async throws(AuthError) {
        try await update(user) { provider, idToken async throws(AuthError) in
            try await provider.profile(idToken: idToken)
        }
    }

    /// Changes the profile and saves it.
    func changeProfile(of user: User, _ change: UserProfileChange) async throws(AuthError) {
        try await update(user) { provider, idToken async throws(AuthError) in
            try await provider.updateProfile(idToken: idToken, change)
        }
    }

    /// Deletes the account and signs the user out.
    func deleteAccount(of user: User) async throws(AuthError) {
        let provider = try identityProvider()
        let tokens = try await freshTokens(of: user, forcing: false)
        do throws(AuthError) {
            try await provider.deleteAccount(idToken: tokens.idToken)
        } catch {
            try await reject(user, tokens, because: error)
        }
        guard let slot = user.slot else { return }
        try await onQueue { [self] () throws(AuthError) in try remove(user.uid, from: slot) { _ in true } }
    }

    private func isValid(_ tokens: UserTokens, margin: TimeInterval = margin) -> Bool {
        tokens.expirationDate.timeIntervalSince(options.now()) > margin
    }

    // MARK: Refresh

    private func refresh(
        _ user: User,
        rejecting rejected: UserTokens,
        in slot: Slot?
    ) async throws(AuthError) -> UserTokens {
        let provider = try identityProvider()
        guard let slot else {
            let tokens = try await provider.refreshTokens(rejected.refreshToken)
            keepInMemory(tokens, for: user)
            return tokens
        }
        let turn = try await refreshTurn(for: slot)
        defer { turn.end() }
        var used = rejected
        // What the slot has: the tokens that are used, or those that they could not be saved over.
        var replaced = user.supersededTokens ?? used
        for attempt in 1... {
            let stored = try await storedTokens(of: user, in: slot)
            if let stored, stored != used, stored != replaced {
                if isValid(stored, margin: 0) { return stored }
                (used, replaced) = (stored, stored)
            }
            do throws(AuthError) {
                let tokens = try await provider.refreshTokens(used.refreshToken)
                return try await save(tokens, replacing: replaced, of: user, in: slot)
            } catch {
                // Before the session is given up, a peer may have brought better tokens.
                guard error.code.endsSession else { throw error }
                let found = try? await storedTokens(of: user, in: slot)
                if let found, found != used, found != replaced, attempt < Self.attempts { continue }
                try await reject(user, used, because: error)
            }
        }
        throw AuthError(.internalError, "A refresh ended without a result.")
    }

    /// Waits for this process's turn to refresh. It may have to outlast another's exchange with the identity provider.
    private func refreshTurn(for slot: Slot) async throws(AuthError) -> any Turn {
        let key = try slots.key(slot)
        let (store, deadline) = (slots.store, Deadline.after(options.deadline * 6))
        let outcome = await withCheckedContinuation { continuation in
            // Not on the Auth's own queue, as the wait may be long, nor on a shared one, which is slow to add threads.
            DispatchQueue(label: "SharedAuth.refresh").async {
                continuation.resume(
                    returning: Result { () throws(RecordStoreError) in
                        try store.takeTurn("refresh", for: key, within: deadline)
                    }
                )
            }
        }
        do {
            return try outcome.get()
        } catch {
            throw AuthError(error, in: slot)
        }
    }

    /// The tokens the slot has for the user, which the user then has too; nil when the user is not there any more.
    private func storedTokens(of user: User, in slot: Slot) async throws(AuthError) -> UserTokens? {
        try await onQueue { [self] () throws(AuthError) in
            let operation = try begin()
            defer { operation.end() }
            return take(try read(slot, within: operation.deadline), for: user, in: slot)?.tokens
        }
    }

    private func save(
        _ tokens: UserTokens,
        replacing replaced: UserTokens,
        of user: User,
        in slot: Slot
    ) async throws(AuthError) -> UserTokens {
        user.renew(tokens, superseding: replaced)
        return try await onQueue { [self] () throws(AuthError) in
            let operation = try begin()
            defer { operation.end() }
            let contents = try revise(slot, user.uid, within: operation.deadline) { account in
                guard account.tokens == replaced else { return false }
                account.tokens = tokens
                return true
            }
            return take(contents, for: user, in: slot)?.tokens ?? tokens
        }
    }

    /// Takes over what the slot has of the user; for the slot in use this is what makes listeners hear.
    @discardableResult
    private func take(_ contents: SlotContents, for user: User, in slot: Slot) -> Account? {
        if memory.withLock({ $0.choice?.slot == slot }) { adopt(contents, in: slot) }
        let account = contents.record.account(user.uid)
        if let account { user.takeOver(account) }
        return account
    }

    private func keepInMemory(_ tokens: UserTokens, for user: User) {
        var account = user.snapshot
        account.tokens = tokens
        user.replace(with: account)
    }

    // MARK: Profile

    private func update(
        _ user: User,
        _ fetch: (any IdentityProvider, _ idToken: String) async throws(AuthError) -> UserProfile
    ) async throws(AuthError) {
        let provider = try identityProvider()
        let tokens = try await freshTokens(of: user, forcing: false)
        let profile: UserProfile
        do throws(AuthError) {
            profile = try await fetch(provider, tokens.idToken)
        } catch {
            try await reject(user, tokens, because: error)
        }
        guard let slot = user.slot else { return keepInMemory(profile, for: user) }
        try await onQueue { [self] () throws(AuthError) in
            let operation = try begin()
            defer { operation.end() }
            let (tokens, superseded) = (user.snapshot.tokens, user.supersededTokens)
            let contents = try revise(slot, user.uid, within: operation.deadline) { account in
                // Tokens that could not be saved before go with it.
                let isBehind = account.tokens == superseded
                guard account.profile != profile || isBehind else { return false }
                account.profile = profile
                if isBehind { account.tokens = tokens }
                return true
            }
            // Whoever is not in the slot any more is still who the identity provider says.
            if take(contents, for: user, in: slot) == nil { keepInMemory(profile, for: user) }
        }
    }

    private func keepInMemory(_ profile: UserProfile, for user: User) {
        var account = user.snapshot
        account.profile = profile
        user.replace(with: account)
    }

    // MARK: The end of a session

    /// Throws the identity provider's error; if it ends the session, the user is signed out first, unless the slot has
    /// other tokens than those that were refused.
    private func reject(_ user: User, _ tokens: UserTokens, because error: AuthError) async throws(AuthError) -> Never {
        if error.code.endsSession, let slot = user.slot {
            try? await onQueue { [self] () throws(AuthError) in
                let superseded = user.supersededTokens
                try remove(user.uid, from: slot) { $0.tokens == tokens || $0.tokens == superseded }
            }
        }
        throw error
    }

    private func remove(
        _ uid: String,
        from slot: Slot,
        if condition: (Account) -> Bool
    ) throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        var isRemoved = false
        let contents = try slots.update(slot, within: operation.deadline) { contents in
            guard let account = contents.record.account(uid), condition(account) else { return .keep }
            isRemoved = true
            return .store(contents.record.removing(uid))
        }
        if memory.withLock({ $0.choice?.slot == slot }) { adopt(contents, in: slot) }
        if isRemoved { try deleteOriginals(of: uid, within: operation.deadline) }
    }
}

extension AuthErrorCode {
    /// Whether the identity provider no longer accepts the user at all (Firebase signs out for the same four).
    fileprivate var endsSession: Bool {
        [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled].contains(self)
    }
}
