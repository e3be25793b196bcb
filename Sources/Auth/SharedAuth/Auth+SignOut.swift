/// Sign-outs. Each also revokes the session at the identity provider, unless another slot still uses the session.
extension Auth {
    /// Signs the current user out of the slot in use, in every app of the group.
    ///
    /// Without a current user nothing changes, as in Firebase. If the state is locked, unavailable or damaged, the slot
    /// is read again first, so that an unreadable slot is never treated as signed out. A damaged record is set aside.
    ///
    /// Once the user is signed out, the session is revoked at the identity provider in the background. A process that
    /// exits immediately may not complete this; `signOut(timeout:)` waits for it.
    ///
    /// - Throws: A keyring error; the user stays signed in then.
    public func signOut() throws(AuthError) {
        engine.revokeInBackground(try signOutCurrentUser())
    }

    /// Does the same as `signOut()` without blocking a thread that runs async code. Waits up to 5 more seconds until
    /// the identity provider has revoked the session.
    ///
    /// - Throws: The errors of the synchronous form; `timedOut` or `outcomeUnknown` if `timeout` passes first;
    ///   `sessionNotRevoked` if the user is signed out but the session is not revoked.
    public func signOut(timeout: Duration) async throws(AuthError) {
        let ended = try await engine.offload(timeout: timeout) { [self] () throws(AuthError) in
            try signOutCurrentUser()
        }
        try await engine.revoke(ended)
    }

    /// Signs one user, current or not, out of the slot in use, in every app of the group. The session is revoked as by
    /// `signOut()`.
    ///
    /// If no user with this uid is stored there, nothing changes. If the user was current, no user is current
    /// afterwards.
    ///
    /// - Throws: `conflict` if several users have the uid and none is of this app's issuer; a keyring error. Nothing
    ///   changes then.
    public func signOut(uid: String) throws(AuthError) {
        engine.revokeInBackground(try signOutUser(withLost: { $0.uid == uid }, isAccount(ofUID: uid)))
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code. Waits for the revocation,
    /// as `signOut(timeout:)` does.
    ///
    /// - Throws: The errors of the synchronous form; `sessionNotRevoked` if the user is signed out but the session is
    ///   not revoked.
    public func signOut(uid: String) async throws(AuthError) {
        try await engine.revoke(
            engine.offload { [self] () throws(AuthError) in
                try signOutUser(withLost: { $0.uid == uid }, isAccount(ofUID: uid))
            }
        )
    }

    /// Signs one user out of the slot in use, in every app of the group. The user is found by uid and issuer, so
    /// another user with the same uid is not affected.
    ///
    /// - Throws: A keyring error; nothing changes then.
    public func signOut(_ user: User) throws(AuthError) {
        let id = user.id
        engine.revokeInBackground(try signOutUser(withLost: { $0.mayMean(id) }) { account, _ in account.id == id })
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code. Waits for the revocation,
    /// as `signOut(timeout:)` does.
    ///
    /// - Throws: The errors of the synchronous form; `sessionNotRevoked` if the user is signed out but the session is
    ///   not revoked.
    public func signOut(_ user: User) async throws(AuthError) {
        let id = user.id
        try await engine.revoke(
            engine.offload { [self] () throws(AuthError) in
                try signOutUser(withLost: { $0.mayMean(id) }) { account, _ in account.id == id }
            }
        )
    }

    /// Signs all users out of the slot in use, in every app of the group. A damaged record is set aside. The sessions
    /// are revoked as by `signOut()`.
    ///
    /// - Throws: A keyring error; nothing changes then.
    public func signOutAll() throws(AuthError) {
        engine.revokeInBackground(try signOutUsers())
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code. Waits for the revocations,
    /// as `signOut(timeout:)` does.
    ///
    /// - Throws: The errors of the synchronous form; `sessionNotRevoked` if the users are signed out but a session is
    ///   not revoked.
    public func signOutAll() async throws(AuthError) {
        try await engine.revoke(engine.offload { [self] () throws(AuthError) in try signOutUsers() })
    }

    private func signOutCurrentUser() throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            if case .signedOut = state { return [] }
            if operation.state.user == nil { try operation.followMoves() }
            let (user, isStored, known) = (operation.state.user, operation.state.isUserStored, operation.state.revision)
            let place: ChangePlace =
                if let user, let slot = operation.state.slot { .account(user.id, lastSeenIn: slot) } else {
                    .slotInUse
                }
            let (changed, ended) = try operation.signOut(
                from: place,
                withLost: { lost in user.map { lost.mayMean($0.id) } ?? true }
            ) { account, found in
                if account.id == user?.id { return true }
                // If nothing could be read, the stored current user is signed out; if the user shown was never saved,
                // the one that it was to replace.
                return !isStored && account.id == found.contents.record.current
                    && (user == nil || found.contents.revision == known)
            }
            operation.apply(.signedOut(of: changed.used, changed.contents))
            return ended
        }
    }

    private func signOutUser(
        withLost isLost: (AccountID) -> Bool,
        _ isMeant: @escaping (Account, UserRecord) throws(AuthError) -> Bool
    ) throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            let slot = try operation.slotInUse().slot
            let place = ChangePlace.accounts(operation.state.user?.id, lastSeenIn: slot) { record in
                record.accounts.contains { (try? isMeant($0, record)) ?? true }
            }
            let (changed, ended) = try operation.signOut(from: place, ifDamaged: .fail, withLost: isLost) {
                account,
                found throws(AuthError) in
                try isMeant(account, found.contents.record)
            }
            operation.take(changed)
            return ended
        }
    }

    private func signOutUsers() throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            let (state, slot) = (operation.state, try operation.slotInUse().slot)
            // While it is known that nobody is current, others who were migrated from the slot are not meant.
            let place: ChangePlace =
                state.user == nil && state.failure == nil
                ? .named(slot) : .accounts(state.user?.id, lastSeenIn: slot) { !$0.accounts.isEmpty }
            let (changed, ended) = try operation.signOut(from: place) { _, _ in true }
            operation.take(changed)
            return ended
        }
    }

    /// Returns a function that selects the account with a uid.
    ///
    /// - Throws: `conflict`, from the function, if several accounts have the uid and none is of this app's issuer.
    private func isAccount(ofUID uid: String) -> (Account, UserRecord) throws(AuthError) -> Bool {
        { [engine] account, record throws(AuthError) in
            guard account.uid == uid else { return false }
            let issuer = engine.identityProvider.issuer
            return try record.account(uid: uid, issuedBy: issuer, in: "the slot in use")?.id == account.id
        }
    }
}

/// Sign-outs from any slot, for tools; apps do not need them.
extension Auth {
    /// Signs users out of an access group, or out of the app's own slot if it is nil, without switching to that slot.
    ///
    /// - Parameters:
    ///   - accessGroup: The access group; nil for the app's own slot.
    ///   - uids: The uids of the users to sign out, if they are still stored; nil for all users.
    /// - Returns: The uids of the users who were signed out.
    /// - Throws: `recordDamaged` or `recordVersionUnsupported` if the record cannot be read; it is left unchanged.
    ///   `invalidAccessGroup` or `accessGroupNotDeclared` if the app may not use the group; a keyring error.
    package func signOutUsers(
        ofAccessGroup accessGroup: String?,
        only uids: Set<String>? = nil
    ) throws(AuthError) -> [String] {
        let slot = try slot(named: accessGroup)
        return try engine.withOperation { operation throws(AuthError) in
            let before = try operation.slots.read(slot, by: operation.deadline).record.accounts.map(\.id)
            let (changed, _) = try operation.signOut(from: .named(slot), ifDamaged: .fail) { account, _ in
                uids?.contains(account.uid) ?? true
            }
            if slot == operation.state.slot {
                operation.take(changed)
            } else if changed.contents.record.current == nil {
                operation.journal.clearKeepers(of: slot, by: operation.deadline)
            }
            let rest = Set(changed.contents.record.accounts.map(\.id))
            return before.filter { !rest.contains($0) }.map(\.uid)
        }
    }
}
