/// Sign-outs. Each ends the session at the identity provider too, unless another slot still uses it.
extension Auth {
    /// Signs the current user out of the slot in use: every app of the group is signed out.
    ///
    /// Without a current user nothing changes, as in Firebase. When the state is locked, unavailable or damaged, the
    /// slot is tried first, so that a slot that could not be read is never taken for signed out. A damaged record is
    /// set aside.
    ///
    /// The identity provider is asked to revoke the session in the background, once the user is signed out: a process that exits at
    /// once may not get so far. `signOut(timeout:)` waits for it.
    /// - Throws: an error of the keyring; then the user stays signed in.
    public func signOut() throws(AuthError) {
        engine.revokeInBackground(try signOutCurrentUser())
    }

    /// As `signOut()`, without blocking a thread that runs async code; waits up to 5 seconds more until the identity provider has
    /// revoked the session.
    ///
    /// - Throws: as the synchronous form; `timedOut` or `outcomeUnknown` when `timeout` passes first. `sessionNotRevoked` if the
    ///   user is signed out, but the session was not revoked.
    public func signOut(timeout: Duration) async throws(AuthError) {
        let ended = try await engine.offload(timeout: timeout) { [self] () throws(AuthError) in
            try signOutCurrentUser()
        }
        try await engine.revoke(ended)
    }

    /// Signs one user out of the slot in use, current or not, in every app of the group. The session is revoked as by `signOut()`.
    ///
    /// If no user of this uid is stored there, nothing happens. If the user was current, nobody is afterwards.
    /// - Throws: `conflict` when several users have the uid, of other issuers than this app's, or an error of the keyring; then nothing
    ///   changes.
    public func signOut(uid: String) throws(AuthError) {
        engine.revokeInBackground(try signOutUser(withLost: { $0.uid == uid }, isAccount(ofUID: uid)))
    }

    /// As the synchronous form, without blocking a thread that runs async code; waits for the revocation as `signOut(timeout:)`.
    ///
    /// - Throws: as that, and `sessionNotRevoked`.
    public func signOut(uid: String) async throws(AuthError) {
        try await engine.revoke(
            engine.offload { [self] () throws(AuthError) in
                try signOutUser(withLost: { $0.uid == uid }, isAccount(ofUID: uid))
            }
        )
    }

    /// Signs one user out of the slot in use, in every app of the group; of two users with one uid, this one.
    ///
    /// - Throws: an error of the keyring; then nothing changes.
    public func signOut(_ user: User) throws(AuthError) {
        let id = user.id
        engine.revokeInBackground(try signOutUser(withLost: { $0.mayMean(id) }) { account, _ in account.id == id })
    }

    /// As the synchronous form, without blocking a thread that runs async code; waits for the revocation as `signOut(timeout:)`.
    ///
    /// - Throws: as that, and `sessionNotRevoked`.
    public func signOut(_ user: User) async throws(AuthError) {
        let id = user.id
        try await engine.revoke(
            engine.offload { [self] () throws(AuthError) in
                try signOutUser(withLost: { $0.mayMean(id) }) { account, _ in account.id == id }
            }
        )
    }

    /// Signs every user out of the slot in use, in every app of the group. A damaged record is set aside. The sessions are revoked as
    /// by `signOut()`.
    ///
    /// - Throws: an error of the keyring; then nothing changes.
    public func signOutAll() throws(AuthError) {
        engine.revokeInBackground(try signOutUsers())
    }

    /// As the synchronous form, without blocking a thread that runs async code; waits for the revocations as `signOut(timeout:)`.
    ///
    /// - Throws: as that, and `sessionNotRevoked`.
    public func signOutAll() async throws(AuthError) {
        try await engine.revoke(engine.offload { [self] () throws(AuthError) in try signOutUsers() })
    }

    private func signOutCurrentUser() throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            if operation.state.user == nil { try operation.followChoice() }
            if case .signedOut = state { return [] }
            let (user, isStored) = (operation.state.user, operation.state.isUserStored)
            let place: ChangePlace =
                if let user, let slot = operation.state.slot { .account(user.id, lastSeenIn: slot) } else {
                    .chosenSlot
                }
            let (changed, ended) = try operation.signOut(
                from: place,
                withLost: { lost in user.map { lost.mayMean($0.id) } ?? true }
            ) { account, found in
                // Where nothing could be read, or the shown user was never saved, the stored current user is meant.
                account.id == user?.id || (!isStored && account.id == found.contents.record.current)
            }
            operation.signedOut(changed)
            return ended
        }
    }

    private func signOutUser(
        withLost isLost: (AccountID) -> Bool,
        _ isMeant: @escaping (Account, UserRecord) throws(AuthError) -> Bool
    ) throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            let slot = try operation.currentSlot()
            let place = ChangePlace.accounts(lastSeenIn: slot) { record in
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
            let slot = try operation.currentSlot()
            let place = ChangePlace.accounts(lastSeenIn: slot) { !$0.accounts.isEmpty }
            let (changed, ended) = try operation.signOut(from: place) { _, _ in true }
            operation.take(changed)
            return ended
        }
    }

    /// The accounts of a uid that is given alone.
    ///
    /// - Throws: `conflict` if that may be several.
    private func isAccount(ofUID uid: String) -> (Account, UserRecord) throws(AuthError) -> Bool {
        { [engine] account, record throws(AuthError) in
            guard account.uid == uid else { return false }
            let issuer = engine.identityProvider.issuer
            return try record.account(uid: uid, issuedBy: issuer, in: "the slot in use")?.id == account.id
        }
    }
}

/// What tools do about the users of any slot, and apps have no call for.
extension Auth {
    /// Signs users out of an access group, or with nil of the app's own slot, without switching there.
    ///
    /// - Parameter uids: the users who are meant, if they are still there; nil: all.
    /// - Returns: the uids of those who were signed out.
    /// - Throws: `recordDamaged` or `recordVersionUnsupported`, and the record stays; `invalidAccessGroup`,
    ///   `accessGroupNotDeclared`, or an error of the keyring.
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
