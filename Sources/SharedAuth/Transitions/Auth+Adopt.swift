internal import SecretService
internal import Synchronization

extension Auth {
    /// Takes over what a slot was found to hold, and announces it if the ID token is another.
    ///
    /// A user who stays the same stays the same object. What was known already changes nothing.
    func adopt(_ contents: SlotContents, in slot: Slot) {
        memory.withLock { memory in
            if case .known = memory.phase, memory.revision == contents.revision { return }
            var account = contents.record.currentAccount
            if memory.tenantIsChosen, account?.profile.tenantID != memory.tenantID { account = nil }
            if let account, let user = memory.user, user.uid == account.uid {
                user.takeOver(account)
                user.attach(to: self, in: slot)
                settle(user, at: contents.revision, in: &memory)
            } else {
                settle(account.map { User($0, auth: self, slot: slot) }, at: contents.revision, in: &memory)
            }
        }
    }

    /// Makes a user current, or nobody, and announces it if the ID token is another than was announced last.
    func settle(_ user: User?, at revision: Revision?, in memory: inout Memory) {
        if memory.isLoading, user != nil {
            memory.providerNote = .ifNone
        } else if memory.isLoading || memory.user?.uid != user?.uid {
            memory.providerNote = .anew
        } else if case .failed = memory.phase {
            memory.providerNote = .anew
        }
        memory.phase = .known
        memory.user = user
        memory.revision = revision
        if let user, !memory.tenantIsChosen { memory.tenantID = user.tenantID }
        automaticRefresh?.follow(user)
        let token = user?.snapshot.tokens.idToken
        if token == memory.announcedToken {
            announcer.note(user)
        } else {
            memory.announcedToken = token
            announcer.announce(user)
        }
    }

    /// Reads the slot again, because it may have changed.
    ///
    /// - Returns: whether looking once more later might help, as nothing will tell.
    func lookAgain() -> Bool {
        do throws(AuthError) {
            let operation = try begin()
            defer { operation.end() }
            let slot = try currentSlot()
            let isNewProvider = feed?.takeNewProvider() ?? false
            adopt(try read(slot, within: operation.deadline), in: slot)
            if isNewProvider { memory.withLock { $0.providerNote = .anew } }
            try settlePending(within: operation.deadline)
            return false
        } catch {
            return [.timedOut, .outcomeUnknown, .conflict, .keychainError].contains(error.code)
        }
    }

    /// The slot that is in use.
    ///
    /// - Throws: what kept the choice from being read, or made it invalid.
    func currentSlot() throws(AuthError) -> Slot {
        let (choice, phase) = memory.withLock { ($0.choice, $0.phase) }
        if case .failed(let error) = phase, choice == nil || error.code.forbidsGroup { throw error }
        return choice?.slot ?? .own
    }
}

extension AuthErrorCode {
    /// Whether a stored choice may not be used, although it could be read.
    fileprivate var forbidsGroup: Bool { [.accessGroupNotDeclared, .invalidAccessGroup].contains(self) }
}
