import Foundation
import LocalIdentity
import SharedAuth
import Synchronization

/// The embedded identity provider with one fault.
struct FaultyIdentity: AccountProvider {
    enum Fault: String, CaseIterable {
        case issuerChanges, issuerIsEmpty, uidIsEmpty, noTokens, expiredTokens
        case newUIDEachTime, oneUIDForAll, alwaysNew, takesAnyCredential, quotesTheCredential,
            wrongCredentialIsNetworkError
        case namedAnonymous, oneAnonymousUser, newAccountIsOld, addressTakenTwice
        case othersProfile, mixedUpProfiles
        case refreshTokenLost, refreshForSomebodyElse, takesAnyRefreshToken, madeUpTokenIsNetworkError, oneSessionOnly
        case noScopes, revokesNothing, revokesAll, revokesOnceOnly
        case nameIsNotKept, nameIsNotCleared, linkIsAnotherUser, linkStaysAnonymous, linkTakesAnothers
        case unlinksNothing, reauthenticatesAnybody, reauthenticationIsNewUser
        case oldPasswordStays, newPasswordEndsSession, addressStays, deletesNothing
        case anonymousNotOffered, newAccountNotOffered, deletionNotOffered

        /// The case that detects the fault.
        var breaks: String {
            switch self {
            case .issuerChanges, .issuerIsEmpty: "The issuer has a name that never changes"
            case .uidIsEmpty, .noTokens, .expiredTokens:
                "A sign-in returns a user with a uid, and valid tokens"
            case .newUIDEachTime, .oneUIDForAll, .alwaysNew:
                "Two sign-ins of one account return one uid, and those of two accounts return two"
            case .takesAnyCredential, .quotesTheCredential, .wrongCredentialIsNetworkError:
                "A wrong credential is refused as wrong, and the error does not quote it"
            case .namedAnonymous, .oneAnonymousUser: "Anonymous users are anonymous, and each has its own uid"
            case .newAccountIsOld: "A new account is new, and signs in only with its password"
            case .addressTakenTwice: "A taken address throws emailAlreadyInUse"
            case .othersProfile: "The profile is that of the tokens' user"
            case .mixedUpProfiles: "Concurrent calls do not interfere with each other"
            case .refreshTokenLost, .refreshForSomebodyElse: "A refresh returns valid tokens for the same user"
            case .takesAnyRefreshToken, .madeUpTokenIsNetworkError:
                "A refresh token that was never issued ends the session"
            case .oneSessionOnly: "Two sessions of one account can be refreshed independently"
            case .noScopes: "An access token is issued for the requested scopes"
            case .revokesNothing, .revokesAll, .revokesOnceOnly:
                "Revoking a session ends it, and no other"
            case .nameIsNotKept, .nameIsNotCleared: "A display name can be changed and cleared"
            case .linkIsAnotherUser, .linkStaysAnonymous:
                "An anonymous user who adds a password keeps the uid, and is no longer anonymous"
            case .linkTakesAnothers: "A credential of another account is not linked"
            case .unlinksNothing: "A removed sign-in method no longer signs in"
            case .reauthenticatesAnybody, .reauthenticationIsNewUser: "Reauthentication accepts only the same user"
            case .oldPasswordStays, .newPasswordEndsSession: "A new password signs in, and the old one does not"
            case .addressStays: "A new address signs in, and the old one is free"
            case .deletesNothing: "Deleting an account removes it and its sessions"
            case .anonymousNotOffered, .newAccountNotOffered, .deletionNotOffered:
                "Unsupported operations throw operationNotAllowed"
            }
        }
    }

    private let identity: LocalIdentity
    private let fault: Fault
    private let state = State()

    fileprivate final class State: Sendable {
        let count = Mutex(0)
        let first = Mutex<IdentityGrant?>(nil)
        let latest = Mutex<UserTokens?>(nil)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }

        /// Returns the first grant of all, which is this one unless there was one before.
        func first(_ grant: IdentityGrant) -> IdentityGrant {
            first.withLock { first in
                first = first ?? grant
                return first ?? grant
            }
        }
    }

    init(_ identity: LocalIdentity, _ fault: Fault) {
        self.identity = identity
        self.fault = fault
    }

    var issuer: String {
        switch fault {
        case .issuerChanges: "issuer-\(state.next())"
        case .issuerIsEmpty: ""
        default: "issuer"
        }
    }

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        let grant: IdentityGrant
        do throws(AuthError) {
            grant = try await identity.signIn(with: credential, tenantID: tenantID)
        } catch {
            switch (fault, credential.content) {
            case (.takesAnyCredential, _): return try await identity.signInAnonymously(tenantID: tenantID)
            case (.quotesTheCredential, .password(let email, _)): throw AuthError(error.code, "No account of \(email).")
            case (.wrongCredentialIsNetworkError, _): throw AuthError(.networkError, "It is down.")
            default: throw error
            }
        }
        var profile = grant.profile
        var (tokens, isNew) = (grant.tokens, grant.isNewUser)
        switch fault {
        case .uidIsEmpty: profile.uid = ""
        case .newUIDEachTime: profile.uid += "-\(state.next())"
        case .oneUIDForAll: profile.uid = "everybody"
        case .alwaysNew: isNew = true
        case .noTokens: tokens = UserTokens(idToken: nil, refreshToken: "r", expirationDate: .distantFuture)
        case .expiredTokens:
            tokens = UserTokens(
                idToken: tokens.idToken,
                refreshToken: tokens.refreshToken,
                expirationDate: .distantPast
            )
        default: break
        }
        let present = tokens
        state.latest.withLock { $0 = present }
        return state.keep(IdentityGrant(profile: profile, tokens: tokens, isNewUser: isNew))
    }

    func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        var grant = try await identity.signInAnonymously(tenantID: tenantID)
        if fault == .namedAnonymous {
            var profile = grant.profile
            profile.isAnonymous = false
            grant = IdentityGrant(profile: profile, tokens: grant.tokens, isNewUser: true)
        }
        return fault == .oneAnonymousUser ? state.first(grant) : grant
    }

    func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        do throws(AuthError) {
            let grant = try await identity.createUser(withEmail: email, password: password, tenantID: tenantID)
            let isNew = fault != .newAccountIsOld
            return IdentityGrant(profile: grant.profile, tokens: grant.tokens, isNewUser: isNew)
        } catch {
            guard fault == .addressTakenTwice else { throw error }
            return try await identity.signInAnonymously(tenantID: tenantID)
        }
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        if fault == .oneSessionOnly, let latest = state.latest.withLock({ $0 }), latest != tokens {
            throw AuthError(.userTokenExpired, "There is a newer session.")
        }
        let fresh: UserTokens
        do throws(AuthError) {
            fresh = try await identity.refresh(tokens, scopes: scopes)
        } catch {
            switch fault {
            case .takesAnyRefreshToken: return tokens
            case .madeUpTokenIsNetworkError: throw AuthError(.networkError, "It is down.")
            default: throw error
            }
        }
        switch fault {
        case .refreshTokenLost:
            return UserTokens(idToken: fresh.idToken, refreshToken: nil, expirationDate: fresh.expirationDate)
        case .refreshForSomebodyElse: return try await identity.signInAnonymously(tenantID: nil).tokens
        default: return fresh
        }
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let profile = try await identity.profile(for: tokens)
        switch fault {
        case .othersProfile: return UserProfile(uid: "somebody-else")
        case .mixedUpProfiles: return state.first.withLock { $0?.profile } ?? profile
        case .nameIsNotKept:
            var forgetful = profile
            forgetful.displayName = nil
            return forgetful
        default: return profile
        }
    }

    func revoke(_ tokens: UserTokens) async throws(AuthError) {
        switch fault {
        case .revokesNothing: break
        case .revokesAll: try await identity.deleteAccount(for: tokens)
        case .revokesOnceOnly where state.next() > 1: throw AuthError(.internalError, "There is no such session.")
        default: try await identity.revoke(tokens)
        }
    }

    func updateProfile(_ change: UserProfileChange, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        if fault == .nameIsNotCleared, change.displayName == .clear {
            return AccountChange(profile: try await identity.profile(for: tokens))
        }
        return try await identity.updateProfile(change, for: tokens)
    }

    func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        if fault == .addressStays { return AccountChange(profile: try await identity.profile(for: tokens)) }
        return try await identity.updateEmail(to: email, for: tokens)
    }

    func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        if fault == .oldPasswordStays { return AccountChange(profile: try await identity.profile(for: tokens)) }
        let change = try await identity.updatePassword(to: password, for: tokens)
        if fault == .newPasswordEndsSession, let tokens = change.tokens { try await identity.revoke(tokens) }
        return change
    }

    func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant {
        do throws(AuthError) {
            let grant = try await identity.link(credential, to: tokens)
            var profile = grant.profile
            if fault == .linkIsAnotherUser { profile.uid = "another" }
            if fault == .linkStaysAnonymous { profile.isAnonymous = true }
            return IdentityGrant(profile: profile, tokens: grant.tokens, isNewUser: false)
        } catch {
            guard fault == .linkTakesAnothers else { throw error }
            return try await identity.signIn(with: credential, tenantID: nil)
        }
    }

    func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange {
        if fault == .unlinksNothing { return AccountChange(profile: try await identity.profile(for: tokens)) }
        return try await identity.unlink(providerID: providerID, from: tokens)
    }

    func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant {
        if fault == .reauthenticatesAnybody { return try await identity.signIn(with: credential, tenantID: nil) }
        let grant = try await identity.reauthenticate(with: credential, for: profile)
        let isNew = fault == .reauthenticationIsNewUser
        return IdentityGrant(profile: grant.profile, tokens: grant.tokens, isNewUser: isNew)
    }

    func deleteAccount(for tokens: UserTokens) async throws(AuthError) {
        if fault != .deletesNothing { try await identity.deleteAccount(for: tokens) }
    }
}

extension FaultyIdentity.State {
    /// Keeps the first grant, and returns this one.
    fileprivate func keep(_ grant: IdentityGrant) -> IdentityGrant {
        _ = first(grant)
        return grant
    }
}
