internal import FoundationEssentials

/// A call to the identity provider that uses a user's tokens or returns others, as a value: events change it and
/// produce effects.
///
/// It calls nothing and waits for nothing. ``ExchangeRunner`` performs the effects in order, and reports the end of
/// each effect that takes time with one event. One process at a time has the turn to exchange the tokens of a slot's
/// users (``ExchangeTurn``), so that no refresh token is used twice.
struct TokenExchange {
    /// The kind of call to the identity provider.
    enum Call {
        /// Exchanges the refresh token. The call is not made if a peer has stored a valid token that was not rejected.
        case refresh(scopes: Set<String>?)
        /// Changes the account with valid tokens, in the turn. May return other tokens.
        case change
        /// Signs in to the same account, in the turn. Needs no valid tokens, and returns others.
        case renewal
        /// Makes a request with valid tokens, without the turn. Returns no tokens.
        case request
    }

    /// Something that has happened.
    enum Event {
        /// The slot was read: in the turn there, or once more after a refusal.
        case looked(Finding)
        /// The turn could not be taken, or the slot could not be read.
        case lookFailed(AuthError)
        /// The identity provider has responded: with other tokens, if any, and the reason if the rest was refused.
        case answered(UserTokens?, refusal: AuthError?)
        /// The identity provider has refused, or has not responded in time.
        case refused(AuthError)
        /// Tokens arrived after the caller had stopped waiting.
        case late(UserTokens)
        /// The result was saved and the user has these tokens since, or the account was no longer there.
        case saved(UserTokens, isStored: Bool)
        case saveFailed(AuthError)
        /// The user was signed out, unless the slot had other tokens.
        case rejected
    }

    /// The result of looking for the user in a slot.
    enum Finding {
        /// The slot has the user, and the user object has the slot's tokens from now on.
        case here(UserTokens)
        /// The user is neither there nor in the slot that the app has chosen.
        case nowhere
        /// Another process has moved the user to this slot.
        case elsewhere(Slot)
    }

    /// An action to perform.
    enum Effect {
        /// Take the turn in a slot, or with nil make sure that no slot has the session; then read.
        case takeTurn(Slot?)
        case look(Slot)
        case endTurn
        case ask(UserTokens)
        /// Ask for a refresh without scopes, after one for some scopes was refused.
        case confirm(UserTokens)
        /// Keep tokens until they are saved over those that they were exchanged for.
        case keep(UserTokens, over: UserTokens)
        /// Save the kept tokens, and the value of the call if it was made.
        case save(isMade: Bool)
        /// Sign the user out of the slot, if it still has these tokens.
        case reject(UserTokens)
        /// Revoke the session of these tokens at the identity provider.
        case revoke(UserTokens)
        /// End with the user's tokens, or with an error.
        case end(Result<UserTokens, AuthError>)
    }

    private enum State {
        /// Waits for the turn and the read in it; after the refusal of a request, with its error.
        case takingTurn(after: AuthError?)
        case asking
        /// Waits for a refresh without scopes, after this refusal of one for some scopes.
        case confirming(AuthError)
        /// Reads once more before a refusal counts.
        case lookingAgain(AuthError)
        /// Saves the result, and ends with a refusal if there is one.
        case saving(UserTokens?, refusal: AuthError?)
        case rejecting(AuthError)
        case ended
    }

    /// The maximum number of attempts, if a peer stores other tokens or moves the user.
    private static let attempts = 3

    let call: Call
    /// Indicates whether an error that ends the session signs the user out.
    let endsSession: Bool
    /// The tokens of the caller.
    let present: UserTokens
    private let uid: String
    private let rules: TokenRules
    /// The slot of the user; nil for a user in no slot.
    private(set) var slot: Slot?
    /// The tokens of the last call to the identity provider.
    private(set) var used: UserTokens
    /// True if the slot had the user when the identity provider was called.
    private var isStored = false
    private var attempt = 1
    private var state: State

    /// - Parameters:
    ///   - uid: the owner of the tokens, for errors.
    ///   - slot: the slot of the user; nil for a user in no slot.
    ///   - tokens: the tokens of the caller; for a refresh, those that it rejects.
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

    /// Returns the effects of an event. Ignores an event that the present state does not expect.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.confirming, .late(let tokens)): return take(tokens, refusal: nil, isMade: false, for: [])
        case (_, .late(let tokens)): return take(tokens, refusal: nil, isMade: false)
        case (.takingTurn(let refusal), .looked(let finding)): return begin(finding, after: refusal)
        case (.takingTurn(let refusal), .lookFailed(let error)): return end(.failure(refusal ?? error))
        case (.asking, .answered(let tokens, let refusal)):
            if case .request = call { return end(.success(used)) }
            return take(tokens, refusal: refusal, isMade: refusal == nil)
        case (.asking, .refused(let error)): return refused(error)
        case (.confirming(let former), .answered(let tokens, _)):
            return take(tokens, refusal: former, isMade: false, for: [], lacking: .accessToken(scopes: scopes ?? []))
        case (.confirming, .refused(let error)): return refusedPlain(error)
        case (.lookingAgain(let error), .looked(let finding)): return goOn(finding, after: error)
        case (.lookingAgain(let error), .lookFailed): return reject(used, because: error)
        case (.saving(let new, let refusal), .saved(let tokens, let isStoredNow)):
            // The account may have signed out and in again in the meantime, which is another session.
            let revocation = new.map { new in
                let isHeld = isStoredNow && !tokens.isOfOtherSignIn(than: new)
                return isStored && !isHeld ? [Effect.revoke(new)] : []
            }
            // The record may have had no room for all of them; this caller gets all.
            let whole = new.map { tokens.isRest(of: $0) ? $0 : tokens } ?? tokens
            return (revocation ?? []) + finish(with: whole, refusal: refusal)
        case (.saving(let new, let refusal?), .saveFailed) where !isRefresh || new == nil:
            return finish(with: new ?? used, refusal: refusal)
        case (.saving, .saveFailed(let error)): return end(.failure(error))
        case (.rejecting(let error), .rejected): return end(.failure(error))
        default: return []
        }
    }

    /// Indicates whether the identity provider may have changed the account if it has not responded.
    var changesAccount: Bool {
        switch call {
        case .change, .renewal: true
        case .refresh, .request: false
        }
    }

    /// Indicates whether the call is made in the turn.
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

    /// Follows the user to another slot, and takes the turn there.
    private mutating func follow(to target: Slot, after refusal: AuthError?) -> [Effect] {
        guard attempt < Self.attempts else {
            return end(.failure(refusal ?? AuthError(.conflict, "Other processes keep migrating the user. Try again.")))
        }
        attempt += 1
        (slot, state) = (target, .takingTurn(after: refusal))
        return [.endTurn, .takeTurn(target)]
    }

    /// Calls the identity provider in the turn, unless the slot's tokens are sufficient.
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
            // A peer has exchanged the tokens in the meantime, as after a change of the password.
            if let stored, stored != used, used == present { return [.endTurn] + ask(stored) }
            return endsSession ? reject(used, because: refusal) : end(.failure(refusal))
        }
    }

    /// Requests a refresh, unless a peer has stored a valid token that was not rejected.
    private mutating func refresh(_ stored: UserTokens?) -> [Effect] {
        if let stored, stored != used {
            let isOther = stored.token(for: scopes) != present.token(for: scopes)
            if isOther, rules.isValid(stored, for: scopes, atLeast: 0) { return end(.success(stored)) }
            used = stored
        }
        if let error = rules.refusal(toRefresh: used, of: uid) {
            return error.code.endsSession ? lookAgain(because: error) : end(.failure(error))
        }
        // A process of the group has asked within the last minute.
        if let pause = used.pause(of: .init(scopes), at: rules.now()) {
            return finish(with: used, refusal: pause.error)
        }
        return ask(used)
    }

    /// Keeps the new tokens over those that they were exchanged for.
    ///
    /// - Parameters:
    ///   - asked: the scopes of a refresh.
    ///   - lacking: what a refresh did not bring, if that is known.
    private mutating func take(
        _ tokens: UserTokens?,
        refusal: AuthError?,
        isMade: Bool,
        for asked: Set<String>? = nil,
        lacking: RefusedRefresh.Subject? = nil
    ) -> [Effect] {
        let new = tokens.map { tokens in
            isRefresh
                ? refreshed(by: tokens, refusal, for: asked ?? scopes ?? [], lacking: lacking)
                : tokens.issued(at: rules.now()).succeeding(used)
        }
        state = .saving(new, refusal: refusal)
        return (new.map { [.keep($0, over: used)] } ?? []) + [.save(isMade: isMade)]
    }

    /// Returns the tokens after a refresh, with a note of what it did not bring.
    private func refreshed(
        by answer: UserTokens,
        _ refusal: AuthError?,
        for asked: Set<String>,
        lacking: RefusedRefresh.Subject?
    ) -> UserTokens {
        let (now, subject) = (rules.now(), RefusedRefresh.Subject(scopes))
        let new = used.refreshed(by: answer, for: asked, at: now).issued(at: now).succeeding(used)
            .heeding(used, besides: subject, at: now)
        // In a session that has had ID tokens, an access token does not replace one.
        let isOther = new.token(for: scopes) != used.token(for: scopes) && (scopes != nil || !new.isIncomplete)
        // Tokens that were issued within one second may have the same text.
        let isOfOneMoment = used.issueDate.map { abs(now.timeIntervalSince($0)) < 2 } ?? false
        let isThere =
            isOther || (scopes != nil || new.idToken == nil || isOfOneMoment) && rules.isValid(new, for: scopes)
        guard let refusal else { return isThere ? new : new.noting(refusedRefresh(of: subject, new, nil)) }
        if let lacking { return new.noting(refusedRefresh(of: lacking, new, refusal)) }
        // If what was asked came, another token of the response was refused.
        if isOther { return scopes == nil ? new : new.noting(refusedRefresh(of: .idToken, new, refusal)) }
        let hasAccess = answer.accessTokens.contains { one in !used.accessTokens.contains { $0.token == one.token } }
        return new.noting(refusedRefresh(of: asked.isEmpty && !hasAccess ? .session : subject, new, refusal))
    }

    private func refusedRefresh(
        of subject: RefusedRefresh.Subject,
        _ tokens: UserTokens,
        _ error: AuthError?
    ) -> RefusedRefresh {
        RefusedRefresh(
            of: subject,
            at: rules.now(),
            tokens,
            isAfterExpiry: rules.haveExpired(tokens) && error?.code.isLasting != false,
            error
        )
    }

    private mutating func finish(with tokens: UserTokens, refusal: AuthError?) -> [Effect] {
        guard let refusal else { return end(.success(tokens)) }
        if isRefresh {
            let isOther = tokens.token(for: scopes) != present.token(for: scopes)
            // If the present token is valid, the caller has forced the refresh and rejects this token.
            let isWanted = isOther || !rules.isValid(present, for: scopes)
            if isWanted, rules.isValid(tokens, for: scopes, atLeast: 0) { return end(.success(tokens)) }
            return end(.failure(refusal))
        }
        return endsSession ? reject(tokens, because: refusal) : end(.failure(refusal))
    }

    private mutating func refused(_ error: AuthError) -> [Effect] {
        switch call {
        case .refresh(let scopes?) where !scopes.isEmpty:
            // What is said about some scopes is no statement about the session, until one without scopes got the same.
            let subject = RefusedRefresh.Subject.accessToken(scopes: scopes)
            let isKnown = used.refusals.contains { $0.subject == subject }
            let isDoubtful =
                error.code.endsSession && !isKnown
                || (error.code.endsSession || error.code.isLasting) && rules.haveExpired(used)
            guard isDoubtful else { return note(error.ofRequest, about: subject) }
            state = .confirming(error.ofRequest)
            return [.confirm(used)]
        case .refresh: return refusedPlain(error)
        case .request:
            guard error.code.endsSession, let slot else { return end(.failure(error)) }
            state = .takingTurn(after: error)
            return [.takeTurn(slot)]
        case .change, .renewal:
            return error.code.endsSession && endsSession ? reject(used, because: error) : end(.failure(error))
        }
    }

    /// Handles the refusal of a refresh without scopes.
    private mutating func refusedPlain(_ error: AuthError) -> [Effect] {
        error.code.endsSession ? lookAgain(because: error) : note(error, about: .session)
    }

    /// Looks whether a peer has stored better tokens, before the session ends.
    private mutating func lookAgain(because error: AuthError) -> [Effect] {
        guard let slot else { return end(.failure(error)) }
        state = .lookingAgain(error)
        return [.look(slot)]
    }

    /// Notes a refusal that does not pass by itself, so that no process of the group asks again within a minute. The
    /// present token is used until it expires.
    private mutating func note(_ error: AuthError, about subject: RefusedRefresh.Subject) -> [Effect] {
        guard error.code.isLasting else { return end(.failure(error)) }
        state = .saving(nil, refusal: error)
        return [.keep(used.noting(refusedRefresh(of: subject, used, error)), over: used), .save(isMade: false)]
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

extension AuthError {
    /// The error of a request for some scopes whose session has not ended.
    fileprivate var ofRequest: AuthError {
        code.endsSession ? AuthError(.operationNotAllowed, message, remedy: remedy, underlying: underlying) : self
    }
}

extension AuthErrorCode {
    /// Indicates whether a refresh that the identity provider refuses so will be refused again, until somebody changes
    /// something.
    fileprivate var isLasting: Bool {
        [
            .requiresRecentLogin, .operationNotAllowed, .invalidCredential, .invalidClientID, .userMismatch,
            .malformedJWT, .missingOrInvalidNonce, .rejectedCredential,
        ].contains(self)
    }

    /// Indicates whether the identity provider no longer accepts the user. (Firebase signs out for the same four
    /// codes.)
    package var endsSession: Bool {
        [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled].contains(self)
    }
}
