/// A call of the identity provider that uses a user's tokens or gives others, as a value: events change it, and effects say what is to
/// be done.
///
/// It calls nothing and waits for nothing. ``ExchangeRunner`` carries the effects out, in order, and answers each that waits with one
/// event. One process at a time has the turn to exchange the tokens of a slot's users, so that no refresh token is used twice.
struct TokenExchange {
    /// The call of the identity provider.
    enum Call {
        /// Exchanges the refresh token; nothing is asked if a peer has brought a valid token that was not rejected.
        case refresh(scopes: Set<String>?)
        /// A change of the account with valid tokens, in the turn, which may give others.
        case change
        /// A sign-in to the same account, in the turn, which needs no valid tokens and gives others.
        case renewal
        /// A request with valid tokens that gives none, without the turn.
        case request
    }

    /// Something that has happened.
    enum Event {
        /// The slot was looked at: in the turn there, or once more after a refusal.
        case looked(Finding)
        /// The turn was not to be had, or the slot could not be read.
        case lookFailed(AuthError)
        /// The identity provider has answered: with other tokens, if any, and the reason if the rest was refused.
        case answered(UserTokens?, refusal: AuthError?)
        /// The identity provider has refused, or not answered in time.
        case refused(AuthError)
        /// Tokens came after the caller had gone on.
        case late(UserTokens)
        /// What came was saved, and the user has these tokens since; or the account was not there any more.
        case saved(UserTokens, isStored: Bool)
        case saveFailed(AuthError)
        /// The user was signed out, unless the slot had other tokens.
        case rejected
    }

    /// What a look for the user in a slot has found.
    enum Finding {
        /// The user, who then has these tokens, too.
        case here(UserTokens)
        /// The user is not there, nor in the slot that the app has chosen.
        case nowhere
        /// Another process has moved the user to this slot.
        case elsewhere(Slot)
    }

    /// Something to do.
    enum Effect {
        /// Take the turn in a slot, or make sure that no slot has the session; then look.
        case takeTurn(Slot?)
        case look(Slot)
        case endTurn
        case ask(UserTokens)
        /// Keep tokens until they are saved over those that they were got with.
        case keep(UserTokens, over: UserTokens)
        /// Save what is kept, and the value that came if the call was made.
        case save(isMade: Bool)
        /// Sign the user out of the slot, if it still has these tokens.
        case reject(UserTokens)
        /// End the session of these tokens at the identity provider.
        case revoke(UserTokens)
        /// The end, with the user's tokens.
        case end(Result<UserTokens, AuthError>)
    }

    private enum State {
        /// Waits for the turn, or for the look in it; after a refusal of a request, with that.
        case takingTurn(after: AuthError?)
        case asking
        /// Looks once more before a refusal counts.
        case lookingAgain(AuthError)
        /// Saves what came, and ends with a refusal if there is one.
        case saving(UserTokens?, refusal: AuthError?)
        case rejecting(AuthError)
        case ended
    }

    /// How often an exchange begins again because a peer has brought other tokens or moved the user.
    private static let attempts = 3

    let call: Call
    /// Whether an error of the identity provider that says so ends the session.
    let endsSession: Bool
    /// The tokens of the caller.
    let present: UserTokens
    private let uid: String
    private let rules: TokenRules
    /// Where the user is; nil for a user in no slot.
    private(set) var slot: Slot?
    /// The tokens that the identity provider was asked with last.
    private(set) var used: UserTokens
    /// Whether the slot had the user when the identity provider was asked.
    private var isStored = false
    private var attempt = 1
    private var state: State

    /// - Parameters:
    ///   - uid: whose tokens these are, for errors.
    ///   - slot: where the user is; nil: in no slot.
    ///   - tokens: the tokens of the caller; of a refresh, those that it rejects.
    init(
        _ call: Call,
        of uid: String,
        in slot: Slot?,
        with tokens: UserTokens,
        endsSession: Bool = true,
        _ rules: TokenRules
    ) {
        self.call = call
        self.uid = uid
        self.endsSession = endsSession
        self.slot = slot
        self.rules = rules
        (present, used) = (tokens, tokens)
        state = if case .request = call { .asking } else { .takingTurn(after: nil) }
    }

    /// The first effects.
    var beginning: [Effect] { if case .asking = state { [.ask(used)] } else { [.takeTurn(slot)] } }

    /// Handles an event.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (_, .late(let tokens)): return take(tokens, refusal: nil, isMade: false)
        case (.takingTurn(let refusal), .looked(let finding)): return begin(finding, after: refusal)
        case (.takingTurn(let refusal), .lookFailed(let error)): return end(.failure(refusal ?? error))
        case (.asking, .answered(let tokens, let refusal)):
            if case .request = call { return end(.success(used)) }
            return take(tokens, refusal: refusal, isMade: refusal == nil)
        case (.asking, .refused(let error)): return refused(error)
        case (.lookingAgain(let error), .looked(let finding)): return goOn(finding, after: error)
        case (.lookingAgain(let error), .lookFailed): return reject(used, because: error)
        case (.saving(let new, let refusal), .saved(let tokens, let isStoredNow)):
            let revocation = new.map { isStored && !isStoredNow ? [Effect.revoke($0)] : [] } ?? []
            return revocation + finish(with: tokens, refusal: refusal)
        case (.saving(let new, let refusal?), .saveFailed) where !isRefresh:
            return finish(with: new ?? used, refusal: refusal)
        case (.saving, .saveFailed(let error)): return end(.failure(error))
        case (.rejecting(let error), .rejected): return end(.failure(error))
        default: return []
        }
    }

    /// Whether the identity provider may have changed the account where it has not answered.
    var changesAccount: Bool {
        switch call {
        case .change, .renewal: true
        case .refresh, .request: false
        }
    }

    /// Whether the call is made in the turn.
    var isInTurn: Bool { if case .request = call { false } else { true } }

    private var isRefresh: Bool { if case .refresh = call { true } else { false } }

    private var scopes: Set<String>? { if case .refresh(let scopes) = call { scopes } else { nil } }

    private mutating func end(_ result: Result<UserTokens, AuthError>) -> [Effect] {
        state = .ended
        return [.end(result)]
    }

    private mutating func ask(_ tokens: UserTokens) -> [Effect] {
        (state, used) = (.asking, tokens)
        return [.ask(tokens)]
    }

    /// Goes where the user was moved to, and takes the turn there.
    private mutating func follow(to target: Slot, after refusal: AuthError?) -> [Effect] {
        guard attempt < Self.attempts else {
            return end(.failure(refusal ?? AuthError(.conflict, "The user is migrated from slot to slot. Try again.")))
        }
        attempt += 1
        (slot, state) = (target, .takingTurn(after: refusal))
        return [.endTurn, .takeTurn(target)]
    }

    /// Asks in the turn, unless what the slot has will do.
    private mutating func begin(_ finding: Finding, after refusal: AuthError?) -> [Effect] {
        let stored: UserTokens?
        switch finding {
        case .elsewhere(let target): return follow(to: target, after: refusal)
        case .nowhere: (stored, isStored) = (nil, false)
        case .here(let tokens): (stored, isStored) = (tokens, true)
        }
        switch call {
        case .refresh: return refresh(stored)
        case .renewal: return ask(stored ?? present)
        case .change: return ask(stored.flatMap { rules.isValid($0, atLeast: 0) ? $0 : nil } ?? present)
        case .request:
            guard let refusal else { return [] }
            // A peer has exchanged the tokens meanwhile, as after a change of the password.
            if let stored, stored != used, used == present { return [.endTurn] + ask(stored) }
            return endsSession ? reject(used, because: refusal) : end(.failure(refusal))
        }
    }

    /// Asks for a refresh, unless a peer has brought a valid token that was not rejected.
    private mutating func refresh(_ stored: UserTokens?) -> [Effect] {
        if let stored, stored != used {
            let isOther = stored.token(for: scopes) != present.token(for: scopes)
            if isOther, rules.isValid(stored, for: scopes, atLeast: 0) { return end(.success(stored)) }
            used = stored
        }
        if let error = rules.refusal(toRefresh: used, of: uid) {
            state = .asking
            return refused(error)
        }
        return ask(used)
    }

    /// Takes what came over those that it was got with.
    private mutating func take(_ tokens: UserTokens?, refusal: AuthError?, isMade: Bool) -> [Effect] {
        let new = tokens.map { tokens in
            (isRefresh ? used.refreshed(by: tokens, for: scopes ?? [], at: rules.now()) : tokens)
                .issued(at: rules.now()).succeeding(used)
        }
        state = .saving(new, refusal: refusal)
        return (new.map { [.keep($0, over: used)] } ?? []) + [.save(isMade: isMade)]
    }

    private mutating func finish(with tokens: UserTokens, refusal: AuthError?) -> [Effect] {
        guard let refusal else { return end(.success(tokens)) }
        if isRefresh {
            let isOther = tokens.token(for: scopes) != present.token(for: scopes)
            // A valid token was rejected by the caller that forced the refresh.
            let isWanted = isOther || !rules.isValid(present, for: scopes)
            if isWanted, rules.isValid(tokens, for: scopes, atLeast: 0) { return end(.success(tokens)) }
            return end(.failure(refusal))
        }
        return endsSession ? reject(tokens, because: refusal) : end(.failure(refusal))
    }

    private mutating func refused(_ error: AuthError) -> [Effect] {
        guard error.code.endsSession else { return end(.failure(error)) }
        switch call {
        case .refresh:
            guard let slot else { return end(.failure(error)) }
            // Before the session is given up, a peer may have brought better tokens.
            state = .lookingAgain(error)
            return [.look(slot)]
        case .request:
            guard let slot else { return end(.failure(error)) }
            state = .takingTurn(after: error)
            return [.takeTurn(slot)]
        case .change, .renewal:
            return endsSession ? reject(used, because: error) : end(.failure(error))
        }
    }

    private mutating func goOn(_ finding: Finding, after error: AuthError) -> [Effect] {
        switch finding {
        case .here(let tokens) where tokens != used && attempt < Self.attempts:
            attempt += 1
            return refresh(tokens)
        case .elsewhere(let target) where attempt < Self.attempts: return follow(to: target, after: nil)
        default: return reject(used, because: error)
        }
    }

    private mutating func reject(_ tokens: UserTokens, because error: AuthError) -> [Effect] {
        guard slot != nil, error.code.endsSession else { return end(.failure(error)) }
        state = .rejecting(error)
        return [.reject(tokens)]
    }
}

extension AuthErrorCode {
    /// Whether the identity provider no longer accepts the user at all (Firebase signs out for the same four).
    package var endsSession: Bool {
        [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled].contains(self)
    }
}
