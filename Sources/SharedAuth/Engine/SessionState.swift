/// What an `Auth` knows of its user, as a value: events change it, and effects say what has to be done about them.
///
/// It calls nothing and waits for nothing. ``AuthEngine`` performs the effects, one thread at a time and in the order of the events.
struct SessionState {
    /// How far the knowledge goes.
    enum Knowledge {
        /// The first load has not ended.
        case unknown
        /// `user` and `revision` say what the slot held when it was last read or written.
        case known
        /// The slot could not be read; the error says why.
        case failed(AuthError)
    }

    /// The tenant that users of this `Auth` belong to.
    enum Tenant {
        /// It follows the current user, and goes with the user.
        case following(String?)
        /// The app set it.
        case chosen(String?)
    }

    private(set) var knowledge = Knowledge.unknown
    /// The slot in use; nil as long as the choice of group could not be read.
    private(set) var slot: Slot?
    private(set) var user: User?
    /// Whether `user` was found in the slot, or saved there.
    private(set) var isUserStored = false
    /// The write of the slot that `user` goes with; nil if the slot was empty.
    private(set) var revision: Revision?
    private(set) var tenant = Tenant.following(nil)
    /// The accounts that the slot held when it was last read or written.
    private(set) var accounts: [Account] = []
    /// Whether somebody is shown the state after each event.
    private var isPresented = false
    /// What was announced last.
    private var announced: Announced?
    /// Gives the object of an account: the one that the app has, or another.
    private let makeUser: @Sendable (Account, Slot) -> User

    /// A user and the token that listeners heard of.
    private struct Announced: Equatable {
        let account: AccountID
        let token: String
    }

    init(makeUser: @escaping @Sendable (Account, Slot) -> User) {
        self.makeUser = makeUser
    }

    /// Something that an operation found out or did.
    enum Event {
        /// The stored choice of group was read.
        case readChoice(Slot)
        /// The slot in use, or the choice of it, could not be read when nothing was known yet.
        case failed(AuthError)
        /// A read or write of a slot showed this.
        case found(SlotContents, in: Slot)
        /// The app switched to a slot that holds this.
        case switched(to: Slot, SlotContents)
        /// The app, with nobody signed in, switched to a slot whose record cannot be read, or named the slot in use, of which that
        /// is so.
        case joinedDamaged(Slot, AuthError)
        /// The current user moved to a slot, which holds this.
        case moved(User, to: Slot, SlotContents)
        /// Another process has chosen a slot for the app, which holds this, and the current user is not in the former one any more.
        case followed(to: Slot, SlotContents)
        /// A user was made current: by a sign-in, or by hand. Without contents, saving failed.
        case signedIn(User, in: Slot, SlotContents?)
        /// The current user was signed out of a slot, which is in use and holds this.
        case signedOut(of: Slot, SlotContents)
        /// The app set the tenant.
        case choseTenant(String?)
        /// Somebody is to be shown the state, now and after each event.
        case presented
    }

    /// What has to be done about an event, outside the state.
    enum Effect {
        /// The object that is the current user shows what the slot holds.
        case update(User, Account, Slot)
        /// Listeners hear of another user or token.
        case announce(User?)
        /// What the current user is, is known; nothing is announced unless it is the first time.
        case settle(User?)
        /// The current user's tokens are kept fresh.
        case keepFresh(User?)
        /// Which program keeps the slot's user is to be noted.
        case noteKeeper(KeeperNote, Slot)
        /// The state is shown as it is after an event.
        case present(SessionState)
    }

    /// What is to be noted of the program that keeps a slot's user.
    enum KeeperNote {
        /// That a user is kept, by the program that answered.
        case add
        /// The same, unless a keeper is noted already.
        case addIfNone
        /// That there is no user.
        case clear
    }

    mutating func apply(_ event: Event) -> [Effect] {
        let effects = perform(event)
        if let contents = event.contents(of: slot) { accounts = contents.record.accounts }
        if failure != nil { accounts = [] }
        return isPresented ? effects + [.present(self)] : effects
    }

    private mutating func perform(_ event: Event) -> [Effect] {
        switch event {
        case .presented:
            isPresented = true
            return []
        case .readChoice(let slot):
            self.slot = slot
            return []
        case .failed(let error):
            let wasSignedIn = user != nil
            (knowledge, user) = (.failed(error), nil)
            return wasSignedIn ? [.keepFresh(nil)] : []
        case .choseTenant(let id):
            tenant = .chosen(id)
            return []
        case .found(let contents, let slot):
            return slot == self.slot ? found(contents, in: slot) : []
        case .switched(let slot, let contents):
            let isOther = slot != self.slot
            self.slot = slot
            return show(contents.record.currentAccount, contents, in: slot, keeperIsNews: isOther)
        case .joinedDamaged(let slot, let error):
            (self.slot, user, revision, knowledge) = (slot, nil, nil, .failed(error))
            return []
        case .followed(let slot, let contents):
            self.slot = slot
            return show(ownAccount(of: contents), contents, in: slot, keeperIsNews: true)
        case .moved(let user, let slot, let contents):
            self.slot = slot
            isUserStored = true
            let update = contents.record.account(user.id).map { [Effect.update(user, $0, slot)] } ?? []
            return update
                + settle(user, at: contents.revision, token: token(of: user, in: contents), keeperIsNews: true)
        case .signedIn(let user, let slot, let contents):
            self.slot = slot
            isUserStored = contents != nil
            let known = contents.map(\.revision) ?? revision
            let update = contents?.record.account(user.id).map { [Effect.update(user, $0, slot)] } ?? []
            return update + settle(user, at: known, token: token(of: user, in: contents), keeperIsNews: false)
        case .signedOut(let slot, let contents):
            self.slot = slot
            return show(ownAccount(of: contents), contents, in: slot, keeperIsNews: false)
        }
    }

    /// What was known already changes nothing.
    private mutating func found(_ contents: SlotContents, in slot: Slot) -> [Effect] {
        if case .known = knowledge, revision == contents.revision { return [] }
        return show(ownAccount(of: contents), contents, in: slot, keeperIsNews: false)
    }

    /// The account that is current in a slot, unless it is of another tenant: that is not ours to show, but is kept there.
    private func ownAccount(of contents: SlotContents) -> Account? {
        let account = contents.record.currentAccount
        if case .chosen(let id) = tenant, account?.profile.tenantID != id { return nil }
        return account
    }

    /// Shows an account as the current user. A user who stays the same stays the same object.
    private mutating func show(
        _ account: Account?,
        _ contents: SlotContents,
        in slot: Slot,
        keeperIsNews: Bool
    ) -> [Effect] {
        isUserStored = account != nil
        guard let account else {
            return settle(nil, at: contents.revision, kept: contents.record.current, keeperIsNews: keeperIsNews)
        }
        let shown = user.flatMap { $0.id == account.id ? $0 : nil } ?? makeUser(account, slot)
        return [.update(shown, account, slot)]
            + settle(shown, at: contents.revision, token: account.tokens.announced, keeperIsNews: keeperIsNews)
    }

    private func token(of user: User, in contents: SlotContents?) -> String {
        (contents?.record.account(user.id)?.tokens ?? user.snapshot.tokens).announced
    }

    private mutating func settle(
        _ user: User?,
        at revision: Revision?,
        token: String? = nil,
        kept: AccountID? = nil,
        keeperIsNews: Bool
    ) -> [Effect] {
        let note = keeperNote(for: kept ?? user?.id, isNews: keeperIsNews)
        knowledge = .known
        self.user = user
        self.revision = revision
        if case .following = tenant { tenant = .following(user.map(\.tenantID) ?? tenant.id) }
        let news = user.map { Announced(account: $0.id, token: token ?? $0.snapshot.tokens.announced) }
        var effects = [Effect.keepFresh(user)]
        if news == announced {
            effects.append(.settle(user))
        } else {
            announced = news
            effects.append(.announce(user))
        }
        if let note, let slot { effects.append(.noteKeeper(note, slot)) }
        return effects
    }

    private func keeperNote(for account: AccountID?, isNews: Bool) -> KeeperNote? {
        let note = account == nil ? KeeperNote.clear : .add
        switch knowledge {
        // What another process has noted is good enough for the first load.
        case .unknown: return account == nil ? .clear : .addIfNone
        case .failed: return note
        case .known: return isNews || user?.id != account ? note : nil
        }
    }
}

extension SessionState.Event {
    /// What a slot holds by this event; nil if the event does not say it of this slot.
    fileprivate func contents(of slot: Slot?) -> SlotContents? {
        switch self {
        case .found(let contents, let place), .switched(let place, let contents), .moved(_, let place, let contents),
            .followed(let place, let contents), .signedOut(let place, let contents):
            place == slot ? contents : nil
        case .signedIn(_, let place, let contents): place == slot ? contents : nil
        case .readChoice, .failed, .joinedDamaged, .choseTenant, .presented: nil
        }
    }
}

extension SessionState {
    var isLoading: Bool { if case .unknown = knowledge { true } else { false } }

    /// What the state is called in the API.
    var answer: AuthState {
        switch knowledge {
        case .unknown: .unknown
        case .known: user.map(AuthState.signedIn) ?? .signedOut
        case .failed(let error): AuthState(error)
        }
    }

    /// Throws `tenantIDMismatch` when a user belongs to another tenant than this `Auth`.
    func checkTenant(of account: Account?) throws(AuthError) {
        guard let account, account.profile.tenantID != tenant.id else { return }
        throw AuthError(
            .tenantIDMismatch,
            "The user belongs to \(account.profile.tenantID.map { "tenant \($0)" } ?? "no tenant"), this Auth to "
                + "\(tenant.id.map { "tenant \($0)" } ?? "none").",
            remedy: "Set auth.tenantID to the user's first."
        )
    }

    /// What kept the slot from being read; nil if it was read.
    var failure: AuthError? { if case .failed(let error) = knowledge { error } else { nil } }
}

extension SessionState.Tenant {
    var id: String? {
        switch self {
        case .following(let id), .chosen(let id): id
        }
    }

    var isChosen: Bool { if case .chosen = self { true } else { false } }
}
