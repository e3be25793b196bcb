internal import FoundationEssentials
internal import SharedAuth

/// One case of the contract: its name, the capabilities that it needs, and its check.
struct ContractCase: Sendable {
    let name: String
    let needs: Set<ContractSubject.Capability>
    let run: @Sendable (ContractTrial) async throws -> Void

    init(
        _ name: String,
        needs: Set<ContractSubject.Capability> = [],
        _ run: @escaping @Sendable (ContractTrial) async throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.run = run
    }

    static var all: [ContractCase] { signIns + sessions + accountChanges + refusals }
}

extension ContractCase {
    private static let signIns = [
        ContractCase("The issuer has a name that never changes") { trial in
            let issuer = trial.provider.issuer
            try trial.expect(!issuer.isEmpty, "it is empty")
            _ = try await trial.signIn()
            try trial.expect(trial.provider.issuer == issuer, "it has changed")
        },
        ContractCase("A sign-in returns a user with a uid, and valid tokens") { trial in
            let grant = try await trial.signIn().grant
            try trial.expect(!grant.profile.uid.isEmpty, "the uid is empty")
            try trial.expect(!grant.profile.isAnonymous, "the user is anonymous")
            try trial.expect(grant.tokens.main?.isEmpty == false, "there is neither an ID token nor an access token")
            try trial.expect(grant.tokens.refreshToken?.isEmpty != true, "the refresh token is empty: use nil for none")
            try trial.expect(grant.tokens.expirationDate > Date(), "the tokens have expired already")
        },
        ContractCase("Two sign-ins of one account return one uid, and those of two accounts return two") { trial in
            let (credential, first) = try await trial.signIn()
            let again = try await trial.provider.signIn(with: credential, tenantID: nil)
            let other = try await trial.signIn().grant
            try trial.expect(again.profile.uid == first.profile.uid, "one account has two uids")
            try trial.expect(!again.isNewUser, "the second sign-in says that the account is new")
            try trial.expect(other.profile.uid != first.profile.uid, "two accounts have one uid")
        },
        ContractCase("A wrong credential is refused as wrong, and the error does not quote it") { trial in
            let wrong = trial.subject.wrongCredential
            try await trial.expectRefusal("a wrong credential", with: .wrongCredential, hiding: wrong.secrets) {
                () async throws(AuthError) in
                try await trial.provider.signIn(with: wrong, tenantID: nil)
            }
        },
        ContractCase("Anonymous users are anonymous, and each has its own uid", needs: [.anonymousUsers]) { trial in
            let one = try await trial.provider.signInAnonymously(tenantID: nil)
            let two = try await trial.provider.signInAnonymously(tenantID: nil)
            try trial.expect(one.profile.isAnonymous && two.profile.isAnonymous, "the user is not anonymous")
            try trial.expect(one.profile.uid != two.profile.uid, "two users have one uid")
            try trial.expect(one.isNewUser, "the user is not new")
        },
        ContractCase("A new account is new, and signs in only with its password", needs: [.newAccounts]) { trial in
            let (email, password, grant) = try await trial.newAccount()
            try trial.expect(grant.isNewUser && !grant.profile.isAnonymous, "the account is not new, or is anonymous")
            let again = try await trial.provider.signIn(with: .password(email, password), tenantID: nil)
            try trial.expect(again.profile.uid == grant.profile.uid, "the password signs in another user")
            let wrong = trial.subject.name()
            try await trial.expectRefusal("a wrong password", with: .wrongCredential, hiding: [wrong, email]) {
                () async throws(AuthError) in
                try await trial.provider.signIn(with: .password(email, wrong), tenantID: nil)
            }
        },
        ContractCase("A taken address throws emailAlreadyInUse", needs: [.newAccounts]) { trial in
            let (email, password, _) = try await trial.newAccount()
            try await trial.expectRefusal(
                "a second account of one address",
                with: [.emailAlreadyInUse],
                hiding: [email]
            ) {
                () async throws(AuthError) in
                try await trial.provider.createUser(withEmail: email, password: password, tenantID: nil)
            }
        },
    ]

    private static let sessions = [
        ContractCase("The profile is that of the tokens' user") { trial in
            let grant = try await trial.signIn().grant
            let profile = try await trial.provider.profile(for: grant.tokens)
            try trial.expect(profile.uid == grant.profile.uid, "it belongs to another user")
        },
        ContractCase("Concurrent calls do not interfere with each other") { trial in
            let grants = [try await trial.signIn().grant, try await trial.signIn().grant]
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for grant in grants + grants + grants {
                    group.addTask {
                        try await trial.provider.profile(for: grant.tokens).uid == grant.profile.uid
                    }
                }
                for try await isRight in group { try trial.expect(isRight, "a profile belongs to another user") }
            }
        },
        ContractCase("A refresh returns valid tokens for the same user", needs: [.refresh]) { trial in
            let grant = try await trial.signIn().grant
            try trial.expect(grant.tokens.refreshToken != nil, "there is no refresh token")
            let tokens = try await trial.provider.refresh(grant.tokens, scopes: [])
            try trial.expect(tokens.main?.isEmpty == false, "there is neither an ID token nor an access token")
            try trial.expect(tokens.refreshToken != nil, "no refresh token: return the present one if it is valid")
            try trial.expect(tokens.expirationDate > Date(), "the tokens have expired already")
            let profile = try await trial.provider.profile(for: tokens)
            try trial.expect(profile.uid == grant.profile.uid, "they belong to another user")
            _ = try await trial.provider.refresh(tokens, scopes: [])
        },
        ContractCase("A refresh token that was never issued ends the session", needs: [.refresh]) { trial in
            let grant = try await trial.signIn().grant
            let made = UserTokens(
                idToken: grant.tokens.idToken,
                refreshToken: "never-issued-by-anybody",
                expirationDate: grant.tokens.expirationDate
            )
            try await trial.expectRefusal("such a token", with: .sessionEnd, hiding: made.all) {
                () async throws(AuthError) in
                try await trial.provider.refresh(made, scopes: [])
            }
        },
        ContractCase("Two sessions of one account can be refreshed independently", needs: [.refresh]) { trial in
            let (credential, one) = try await trial.signIn()
            let two = try await trial.provider.signIn(with: credential, tenantID: nil)
            let next = try await trial.provider.refresh(one.tokens, scopes: [])
            _ = try await trial.provider.refresh(two.tokens, scopes: [])
            _ = try await trial.provider.refresh(next, scopes: [])
        },
        ContractCase("An access token is issued for the requested scopes", needs: [.refresh, .scopes]) { trial in
            let grant = try await trial.signIn().grant
            let tokens = try await trial.provider.refresh(grant.tokens, scopes: trial.subject.scopes)
            let found = tokens.accessTokens.contains { $0.scopes.isSuperset(of: trial.subject.scopes) }
            try trial.expect(found, "there is no access token for them")
        },
        ContractCase("Revoking a session ends it, and no other", needs: [.refresh, .revocation]) { trial in
            let (credential, one) = try await trial.signIn()
            let two = try await trial.provider.signIn(with: credential, tenantID: nil)
            try await trial.provider.revoke(one.tokens)
            try await trial.expectRefusal("a refresh of a revoked session", with: .sessionEnd, hiding: one.tokens.all) {
                () async throws(AuthError) in
                try await trial.provider.refresh(one.tokens, scopes: [])
            }
            _ = try await trial.provider.refresh(two.tokens, scopes: [])
            // Signing out twice is not an error.
            try await trial.provider.revoke(one.tokens)
        },
    ]
}

extension AuthCredential {
    static func password(_ email: String, _ password: String) -> AuthCredential {
        EmailAuthProvider.credential(withEmail: email, password: password)
    }
}
