internal import FoundationEssentials
internal import SharedAuth

extension ContractCase {
    static let accountChanges = [
        ContractCase("A display name can be changed and cleared", needs: [.profileChange]) { trial in
            let (accounts, grant) = (try trial.accounts(), try await trial.signIn().grant)
            let named = try await accounts.updateProfile(UserProfileChange(displayName: .set("Ada")), for: grant.tokens)
            try trial.expect(named.profile.displayName == "Ada", "the response does not have the name")
            let tokens = named.tokens ?? grant.tokens
            let found = try await trial.provider.profile(for: tokens)
            try trial.expect(found.displayName == "Ada", "the name is not kept")
            let cleared = try await accounts.updateProfile(UserProfileChange(displayName: .clear), for: tokens)
            try trial.expect(cleared.profile.displayName == nil, "the name is not cleared")
        },
        ContractCase(
            "An anonymous user who adds a password keeps the uid, and is no longer anonymous",
            needs: [.anonymousUsers, .linking]
        ) { trial in
            let accounts = try trial.accounts()
            let grant = try await accounts.signInAnonymously(tenantID: nil)
            let credential = AuthCredential.password("\(trial.subject.name())@example.com", trial.subject.name())
            let linked = try await accounts.link(credential, to: grant.tokens)
            try trial.expect(linked.profile.uid == grant.profile.uid, "the uid is another")
            try trial.expect(!linked.profile.isAnonymous, "the user is still anonymous")
            let isNamed = linked.profile.providerData.contains { $0.providerID == EmailAuthProvider.id }
            try trial.expect(isNamed, "the profile does not name the sign-in method")
            let again = try await accounts.signIn(with: credential, tenantID: nil)
            try trial.expect(again.profile.uid == grant.profile.uid, "the password signs in another user")
            _ = try await accounts.profile(for: linked.tokens)
        },
        ContractCase(
            "A credential of another account is not linked",
            needs: [.anonymousUsers, .linking, .newAccounts]
        ) { trial in
            let accounts = try trial.accounts()
            let (email, password, _) = try await trial.newAccount()
            let grant = try await accounts.signInAnonymously(tenantID: nil)
            try await trial.expectRefusal(
                "another account's address",
                with: [.emailAlreadyInUse, .credentialAlreadyInUse],
                hiding: [email, password]
            ) { () async throws(AuthError) in
                try await accounts.link(.password(email, password), to: grant.tokens)
            }
            let profile = try await accounts.profile(for: grant.tokens)
            try trial.expect(profile.isAnonymous, "the user is no longer anonymous")
        },
        ContractCase("A removed sign-in method no longer signs in", needs: [.newAccounts, .unlinking]) { trial in
            let accounts = try trial.accounts()
            let (email, password, grant) = try await trial.newAccount()
            let change = try await accounts.unlink(providerID: EmailAuthProvider.id, from: grant.tokens)
            try trial.expect(change.profile.uid == grant.profile.uid, "the uid is another")
            let isNamed = change.profile.providerData.contains { $0.providerID == EmailAuthProvider.id }
            try trial.expect(!isNamed, "the profile still names it")
            try await trial.expectRefusal("a sign-in with it", with: .wrongCredential, hiding: [email, password]) {
                () async throws(AuthError) in
                try await accounts.signIn(with: .password(email, password), tenantID: nil)
            }
        },
        ContractCase("Reauthentication accepts only the same user", needs: [.reauthentication]) { trial in
            let accounts = try trial.accounts()
            let (credential, grant) = try await trial.signIn()
            let again = try await accounts.reauthenticate(with: credential, for: grant.profile)
            try trial.expect(again.profile.uid == grant.profile.uid, "the uid is another")
            try trial.expect(!again.isNewUser, "the account is new")
            let other = try await trial.subject.account()
            try await trial.expectRefusal("another account's credential", with: [.userMismatch], hiding: other.secrets)
            {
                () async throws(AuthError) in
                try await accounts.reauthenticate(with: other, for: grant.profile)
            }
        },
        ContractCase("A new password signs in, and the old one does not", needs: [.newAccounts, .passwordChange]) {
            trial in
            let accounts = try trial.accounts()
            let (email, old, grant) = try await trial.newAccount()
            let new = trial.subject.name()
            let change = try await accounts.updatePassword(to: new, for: grant.tokens)
            try trial.expect(change.profile.uid == grant.profile.uid, "the uid is another")
            _ = try await accounts.profile(for: change.tokens ?? grant.tokens)
            if trial.subject.offers.contains(.refresh) {
                _ = try await accounts.refresh(change.tokens ?? grant.tokens, scopes: [])
            }
            let again = try await accounts.signIn(with: .password(email, new), tenantID: nil)
            try trial.expect(again.profile.uid == grant.profile.uid, "the new password signs in another user")
            try await trial.expectRefusal("the old password", with: .wrongCredential, hiding: [email, old]) {
                () async throws(AuthError) in
                try await accounts.signIn(with: .password(email, old), tenantID: nil)
            }
        },
        ContractCase("A new address signs in, and the old one is free", needs: [.newAccounts, .emailChange]) { trial in
            let accounts = try trial.accounts()
            let (old, password, grant) = try await trial.newAccount()
            let new = "\(trial.subject.name())@example.com"
            let change = try await accounts.updateEmail(to: new, for: grant.tokens)
            try trial.expect(change.profile.uid == grant.profile.uid, "the uid is another")
            try trial.expect(change.profile.email == new, "the profile has another address")
            let again = try await accounts.signIn(with: .password(new, password), tenantID: nil)
            try trial.expect(again.profile.uid == grant.profile.uid, "the new address signs in another user")
            let other = try await accounts.createUser(withEmail: old, password: password, tenantID: nil)
            try trial.expect(other.profile.uid != grant.profile.uid, "two accounts have one uid")
        },
        ContractCase("Deleting an account removes it and its sessions", needs: [.deletion]) { trial in
            let accounts = try trial.accounts()
            let (credential, grant) = try await trial.signIn()
            try await accounts.deleteAccount(for: grant.tokens)
            try await trial.expectRefusal("a sign-in to it", with: .wrongCredential, hiding: credential.secrets) {
                () async throws(AuthError) in
                try await accounts.signIn(with: credential, tenantID: nil)
            }
            guard trial.subject.offers.contains(.refresh) else { return }
            try await trial.expectRefusal("a refresh of its session", with: .sessionEnd, hiding: grant.tokens.all) {
                () async throws(AuthError) in
                try await accounts.refresh(grant.tokens, scopes: [])
            }
        },
    ]

    /// The cases about capabilities that the provider does not have.
    static let refusals = [
        ContractCase("Unsupported operations throw operationNotAllowed") { trial in
            let (provider, offers) = (trial.provider, trial.subject.offers)
            if !offers.contains(.anonymousUsers) {
                try await trial.expectRefusal("an anonymous user", with: [.operationNotAllowed]) {
                    () async throws(AuthError) in
                    try await provider.signInAnonymously(tenantID: nil)
                }
            }
            if !offers.contains(.newAccounts) {
                let password = trial.subject.name()
                try await trial.expectRefusal("a new account", with: [.operationNotAllowed], hiding: [password]) {
                    () async throws(AuthError) in
                    try await provider.createUser(withEmail: "ada@example.com", password: password, tenantID: nil)
                }
            }
            guard let accounts = provider as? any AccountProvider, !offers.contains(.deletion) else { return }
            let grant = try await trial.signIn().grant
            try await trial.expectRefusal("a deletion", with: [.operationNotAllowed]) { () async throws(AuthError) in
                try await accounts.deleteAccount(for: grant.tokens)
            }
        }
    ]
}
