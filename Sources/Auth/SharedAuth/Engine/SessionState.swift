/// The state of an `Auth`, as a value: events change it and produce effects.
///
/// It calls nothing and waits for nothing. ``AuthEngine`` performs the effects, one thread at a time and in the order
/// of the events.
struct SessionState {
    /// The knowledge about the contents of the slot in use.
    enum Knowledge {
        /// The first load has not ended.
        case unknown
        /// `user` and `revision` describe the slot as it was last read or written.
        case known
        /// The slot could not be read; the error gives the reason.
        case failed(AuthError)
    }

    /// The tenant that users of this `Auth` belong to.
    enum Tenant {
        /// The tenant of the current user, or of the last one.
        case following(String?)
        /// The tenant that the app has set.
        case chosen(String?)
    }

    private(set) var knowledge = Knowledge.unknown
    /// The slot that this process uses; nil as long as the group choice could not be read.
    private(set) var used: SlotInUse?
    /// Indicates whether the options name the slot in use and the stored choice may be another.
    private(set) var isJoining = false
    private(set) var user: User?
    /// Indicates whether `user` was found in the slot, or saved there.
    private(set) var isUserStored = false
    /// The revision of the slot that `user` belongs to; nil if the slot was empty.
    private(set) var revision: Revision?
    private(set) var tenant = Tenant.following(nil)
    /// The accounts that the slot held when it was last read or written.
    private(set) var accounts: [Account] = []
    /// The collection that held the slot's record when it was last read or written.
    private(set) var collection = UserCollection.unknown
    /// The mark of the slot's record if it is a view of a fleet's record.
    private(set) var fleet: UserRecord.FleetMark?
    /// The error of the last attempt to read or save in the slot in use, if nothing succeeded since.
    private var obstacle: AuthError?
    /// Indicates whether each event ends with a `present` effect.
    private var isPresented = false
    /// The last announcement.
    private var announced: Announced?
    /// Returns the object of an account: the one that the app has, or a new one.
    private let makeUser: @Sendable (Account, Slot) -> User

    /// A user and what listeners were told about the tokens.
    private struct Announced: Equatable {
        let account: AccountID
        let tokens: UserTokens.Announcement
    }

    init(makeUser: @escaping @Sendable (Account, Slot) -> User) {
        self.makeUser = makeUser
    }

    /// A result of an operation.
    enum Event {
        /// The stored group choice was read.
        case readChoice(SlotInUse)
        /// The options name the slot.
        case named(Slot)
        /// The slot that the options name is the stored choice now.
        case joined(SlotInUse)
        /// The slot in use, or the choice of it, could not be read, or this app may not use the chosen group. With a
        /// slot, that one is in use from now on: a group that is joined while signed out may be damaged.
        case failed(AuthError, in: SlotInUse? = nil)
        /// A slot was read or written, and holds these contents.
        case found(SlotContents, in: Slot)
        /// The app switched to a slot that holds these contents.
        case switched(to: SlotInUse, SlotContents)
        /// The current user moved to a slot that holds these contents.
        case moved(User, to: SlotInUse, SlotContents)
        /// Another process migrated the users of the slot to one with these contents.
        case followed(to: SlotInUse, SlotContents)
        /// The app made the current account of a slot, which holds these contents, its current user.
        case selected(SlotContents, in: Slot)
        /// A user became current, by a sign-in or by `updateCurrentUser`, and was stored.
        case signedIn(User, StoredAccount)
        /// A user became current by `updateCurrentUser`, and could not be stored.
        case signedInUnsaved(User)
        /// The current user was signed out of a slot that is in use and holds these contents.
        case signedOut(of: SlotInUse, SlotContents)
        /// The slot in use can be neither read nor written, but what it held is still known; nil if it can again.
        case notedSaveFailure(AuthError?)
        /// The app set the tenant.
        case choseTenant(String?)
        /// A presenter was set; it receives the state after this event and each later one.
        case presented
    }

    /// Work that an event requires outside the state.
    enum Effect {
        /// Watches a slot instead of the former one; nil if there is none that this app may use.
        case watch(Slot?)
        /// Reads the slot again later, because no signal tells when the failure ends.
        case readLater
        /// Updates the object of the current user to match the slot.
        case update(User, Account, Slot)
        /// Announces another user or token to the listeners.
        case announce(User?)
        /// Notes that the current user is known. Listeners are called only if it is the first time.
        case settle(User?)
        /// Notes that the current user is not known any longer. A listener added now waits until it is.
        case unsettle
        /// Keeps the current user's tokens fresh.
        case keepFresh(User?)
        /// Notes which program keeps the slot's user, and in which collection.
        case noteKeeper(KeeperNote, Slot, UserCollection)
        /// Tells the listeners which error keeps changes from being saved.
        case tellSaveFailure(AuthError?)
        /// Passes the state after an event to the presenter.
        case present(SessionState)
    }

    /// A note about the program that keeps a slot's user.
    enum KeeperNote {
        /// The program that responded keeps a user.
        case add
        /// The same, unless a keeper is already noted.
        case addIfNone
        /// There is no user.
        case clear
    }

    mutating func apply(_ event: Event) -> [Effect] {
        let (former, formerlyWatched) = (saveFailure, watched)
        var effects = perform(event)
        if let record = event.contents(of: slot)?.record {
            (accounts, fleet, obstacle) = (record.accounts, record.fleet, nil)
        }
        if failure != nil { (accounts, fleet, obstacle) = ([], nil, nil) }
        if saveFailure?.code != former?.code || saveFailure?.message != former?.message {
            effects.append(.tellSaveFailure(saveFailure))
        }
        if watched != formerlyWatched { effects.insert(.watch(watched), at: 0) }
        return isPresented ? effects + [.present(self)] : effects
    }

    private mutating func perform(_ event: Event) -> [Effect] {
        switch event {
        case .presented:
            isPresented = true
            return []
        case .readChoice(let used), .joined(let used):
            use(used)
            return []
        case .named(let slot):
            used = SlotInUse(slot)
            isJoining = true
            return []
        case .failed(let error, let used):
            return fail(error, in: used)
        case .notedSaveFailure(let error):
            obstacle = error
            return []
        case .choseTenant(let id):
            tenant = .chosen(id)
            return []
        case .found(let contents, let slot):
            return slot == self.slot ? found(contents, in: slot) : []
        case .switched(let used, let contents):
            let isOther = used.slot != slot
            use(used)
            return show(contents.record.currentAccount, contents, in: used.slot, keeperIsNews: isOther)
        case .followed(let used, let contents):
            use(used)
            return show(admitted(contents), contents, in: used.slot, keeperIsNews: true)
        case .moved(let user, let used, let contents):
            use(used)
            isUserStored = true
            let update = contents.record.account(user.id).map { [Effect.update(user, $0, used.slot)] } ?? []
            return update + settle(user, contents, tokens: tokens(of: user, in: contents), keeperIsNews: true)
        case .selected(let contents, let slot):
            guard slot == self.slot, user?.id != contents.record.current else { return [] }
            return show(contents.record.currentAccount, contents, in: slot, keeperIsNews: false)
        case .signedIn(let user, let stored):
            used = stored.used
            isUserStored = true
            return [.update(user, stored.account, stored.slot)]
                + settle(user, stored.contents, tokens: stored.account.tokens, keeperIsNews: false)
        case .signedInUnsaved(let user):
            isUserStored = false
            // The slot's last known contents still apply.
            return settle(user, at: revision, in: .unknown, keeperIsNews: false)
        case .signedOut(let used, let contents):
            self.used = used
            return show(admitted(contents), contents, in: used.slot, keeperIsNews: false)
        }
    }

    /// Uses a slot that is a stored choice.
    private mutating func use(_ used: SlotInUse) {
        (self.used, isJoining) = (used, false)
    }

    /// Notes that the user is not known, and why.
    private mutating func fail(_ error: AuthError, in used: SlotInUse?) -> [Effect] {
        if let used { use(used) }
        var effects: [Effect] = user == nil ? [] : [.keepFresh(nil)]
        if case .known = knowledge { effects.append(.unsettle) }
        (knowledge, user, isUserStored, revision) = (.failed(error), nil, false, nil)
        return mayEndUnheard(error) ? effects + [.readLater] : effects
    }

    /// Shows the contents of the slot in use. Contents that were known before change nothing.
    private mutating func found(_ contents: SlotContents, in slot: Slot) -> [Effect] {
        if case .known = knowledge, revision == contents.revision { return [] }
        return show(admitted(contents), contents, in: slot, keeperIsNews: false)
    }

    /// Returns the current account of a slot, unless it would become current here and belongs to another tenant than
    /// the app has set. Such an account stays stored and is not shown. One that was shown last stays shown.
    private func admitted(_ contents: SlotContents) -> Account? {
        guard let account = contents.record.currentAccount else { return nil }
        if case .chosen(let id) = tenant, account.profile.tenantID != id, account.id != announced?.account {
            return nil
        }
        return account
    }

    /// Shows an account as the current user. The `User` object is kept if it shows the same account.
    private mutating func show(
        _ account: Account?,
        _ contents: SlotContents,
        in slot: Slot,
        keeperIsNews: Bool
    ) -> [Effect] {
        isUserStored = account != nil
        guard let account else {
            return settle(nil, contents, kept: contents.record.current, keeperIsNews: keeperIsNews)
        }
        let shown = user.flatMap { $0.id == account.id ? $0 : nil } ?? makeUser(account, slot)
        return [.update(shown, account, slot)]
            + settle(shown, contents, tokens: account.tokens, keeperIsNews: keeperIsNews)
    }

    private func tokens(of user: User, in contents: SlotContents) -> UserTokens {
        contents.record.account(user.id)?.tokens ?? user.snapshot.tokens
    }

    private mutating func settle(
        _ user: User?,
        _ contents: SlotContents,
        tokens: UserTokens? = nil,
        kept: AccountID? = nil,
        keeperIsNews: Bool
    ) -> [Effect] {
        settle(
            user,
            at: contents.revision,
            in: UserCollection(of: contents),
            tokens: tokens,
            kept: kept,
            keeperIsNews: keeperIsNews
        )
    }

    private mutating func settle(
        _ user: User?,
        at revision: Revision?,
        in collection: UserCollection,
        tokens: UserTokens? = nil,
        kept: AccountID? = nil,
        keeperIsNews: Bool
    ) -> [Effect] {
        let isElsewhere = collection != .unknown && collection.mark != self.collection.mark
        let note = keeperNote(for: kept ?? user?.id, isNews: keeperIsNews || isElsewhere)
        self.collection = collection
        knowledge = .known
        self.user = user
        self.revision = revision
        if case .following = tenant { tenant = .following(user.map(\.tenantID) ?? tenant.id) }
        let news = user.map { Announced(account: $0.id, tokens: (tokens ?? $0.snapshot.tokens).announcement) }
        var effects = [Effect.keepFresh(user)]
        if news == announced {
            effects.append(.settle(user))
        } else {
            announced = news
            effects.append(.announce(user))
        }
        if let note, let slot { effects.append(.noteKeeper(note, slot, collection)) }
        return effects
    }

    private func keeperNote(for account: AccountID?, isNews: Bool) -> KeeperNote? {
        let note = account == nil ? KeeperNote.clear : .add
        switch knowledge {
        // For the first load, a note of another process is good enough.
        case .unknown: return account == nil ? .clear : .addIfNone
        case .failed: return note
        case .known: return isNews || user?.id != account ? note : nil
        }
    }
}

extension SessionState.Event {
    /// Returns the contents of a slot after this event; nil if the event does not contain those of this slot.
    fileprivate func contents(of slot: Slot?) -> SlotContents? {
        switch self {
        case .found(let contents, let place), .selected(let contents, let place): place == slot ? contents : nil
        case .switched(let used, let contents), .moved(_, let used, let contents), .followed(let used, let contents),
            .signedOut(let used, let contents):
            used.slot == slot ? contents : nil
        case .signedIn(_, let stored): stored.slot == slot ? stored.contents : nil
        case .readChoice, .named, .joined, .failed, .signedInUnsaved, .notedSaveFailure, .choseTenant,
            .presented:
            nil
        }
    }
}

extension SessionState {
    /// The slot in use; nil as long as the group choice could not be read.
    var slot: Slot? { used?.slot }

    /// The slot whose changes concern this process: the one in use, unless this app may not use it.
    var watched: Slot? { failure?.code.forbidsGroup ?? false ? nil : slot }

    /// Returns whether a failure may end without a signal: because no slot is watched, or by its nature.
    func mayEndUnheard(_ error: AuthError) -> Bool { watched == nil || error.code.mayPassUnheard }

    var isLoading: Bool { if case .unknown = knowledge { true } else { false } }

    /// The state as the public API reports it.
    var answer: AuthState {
        switch knowledge {
        case .unknown: .unknown
        case .known: user.map(AuthState.signedIn) ?? .signedOut
        case .failed(let error): AuthState(error)
        }
    }

    /// Throws `tenantIDMismatch` if the account's tenant is not that of this `Auth`.
    func checkTenant(of account: Account?) throws(AuthError) {
        guard let account, account.profile.tenantID != tenant.id else { return }
        throw AuthError(
            .tenantIDMismatch,
            "The user belongs to \(account.profile.tenantID.map { "tenant \($0)" } ?? "no tenant"), this Auth to "
                + "\(tenant.id.map { "tenant \($0)" } ?? "none").",
            remedy: "Set auth.tenantID to the user's tenant first."
        )
    }

    /// The error that keeps changes from being saved; nil if none is known.
    var saveFailure: AuthError? { obstacle ?? failure.flatMap { $0.code.keepsFromSaving ? $0 : nil } }

    /// The error that kept the slot from being read; nil if it was read.
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
