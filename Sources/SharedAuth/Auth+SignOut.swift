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
    /// - Throws: an error of the keyring; then nothing changes.
    @available(*, noasync)
    public func signOut(uid: String) throws(AuthError) {
        engine.revokeInBackground(try signOutUser(uid))
    }

    /// As the synchronous form, without blocking a thread that runs async code; waits for the revocation as `signOut(timeout:)`.
    ///
    /// - Throws: as that, and `sessionNotRevoked`.
    public func signOut(uid: String) async throws(AuthError) {
        try await engine.revoke(engine.offload { [self] () throws(AuthError) in try signOutUser(uid) })
    }

    /// Signs every user out of the slot in use, in every app of the group. A damaged record is set aside. The sessions are revoked as
    /// by `signOut()`.
    ///
    /// - Throws: an error of the keyring; then nothing changes.
    @available(*, noasync)
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
            let slot = try operation.currentSlotOfUser()
            if let failure = operation.state.failure, failure.code != .recordDamaged {
                operation.take(try engine.slots.read(slot, by: operation.deadline), in: slot)
            }
            if case .signedOut = state { return [] }
            let uid = operation.state.user?.uid
            let (contents, ended) = try operation.signOut(uid, from: slot) { $0.uid == $1.current }
            operation.apply(.signedOut(contents))
            return ended
        }
    }

    private func signOutUser(_ uid: String) throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            let slot = try operation.currentSlotOfUser()
            let (contents, ended) = try operation.signOut(uid, from: slot, ifDamaged: .fail) { account, _ in
                account.uid == uid
            }
            operation.take(contents, in: slot)
            return ended
        }
    }

    private func signOutUsers() throws(AuthError) -> [Account] {
        try engine.withOperation { operation throws(AuthError) in
            let slot = try operation.currentSlotOfUser()
            let (contents, ended) = try operation.signOut(nil, from: slot) { _, _ in true }
            operation.take(contents, in: slot)
            return ended
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
            let before = try operation.slots.read(slot, by: operation.deadline).record.accounts.map(\.uid)
            let (contents, _) = try operation.signOut(nil, from: slot, ifDamaged: .fail) { account, _ in
                uids?.contains(account.uid) ?? true
            }
            if slot == operation.state.slot {
                operation.take(contents, in: slot)
            } else if contents.record.current == nil {
                operation.journal.clearKeepers(of: slot, by: operation.deadline)
            }
            return before.filter { contents.record.account($0) == nil }
        }
    }
}
